/**
 * Reads the SHACL files of a profile directory: node shapes with their annotations (W3C SHACL 2.1–2.3) and the line of each
 * statement. The annotation terms of profiles are recognised in any namespace.
 */

import { readdir, readFile, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { dct, foaf, owl, rdf, sh } from '../rdf/namespaces.ts'
import { decode, parse } from '../rdf/parse.ts'
import { type Graph, graphOf, keyOf, type Node } from '../rdf/read.ts'
import { type PlacedQuad, placedQuads } from '../rdf/reading/placed-quads.ts'
import { namedNode, quad } from '../rdf/terms.ts'
import { pointsOutside, type LocatedEntry } from './entry-file.ts'
import type { Problems, ProfilePlace } from './profile-problems.ts'
import { localName } from '../rdf/iri.ts'

/** Local names of the annotation terms of profiles; they are recognised in any namespace. */
const annotations = new Set([
  'mappingName',
  'mappingClass',
  'mappingLink',
  'mappingProperty',
  'profileVersion',
])

/** Statements of one file; predicates that are annotation terms have their local names. */
type Statements = {
  readonly graph: Graph
  /** Namespaces in which annotation terms were found. */
  readonly namespaces: ReadonlySet<string>
  /** Line of the first statement about a subject, or of the first one with that predicate, if any; 1 for an unknown subject. */
  readonly line: (subject: Node, predicate?: string) => number
  /** Value of a predicate, English before others; '' when there is none. */
  readonly text: (subject: Node, predicate: string) => string
}

/** Graph of the statements of a file, with their lines. */
function statementsOf(placed: readonly PlacedQuad[]): Statements {
  const namespaces = new Set<string>()
  const lines = new Map<string, number>()
  const quads = placed.map(({ quad: { subject, predicate, object }, line }) => {
    const local = localName(predicate.value)
    const isAnnotation = annotations.has(local)
    if (isAnnotation) namespaces.add(predicate.value.slice(0, -local.length))
    const name = isAnnotation ? local : predicate.value
    for (const key of [keyOf(subject), `${keyOf(subject)} ${name}`])
      lines.set(key, Math.min(line, lines.get(key) ?? line))
    return quad(subject, namedNode(name), object)
  })
  const graph = graphOf(quads)
  return {
    graph,
    namespaces,
    line: (subject, predicate) =>
      lines.get(`${keyOf(subject)} ${predicate}`) ?? lines.get(keyOf(subject)) ?? 1,
    text: (subject, predicate) => {
      const values = graph.objects(subject, predicate)
      const english = values.find((term) => term.termType === 'Literal' && term.language === 'en')
      return (english ?? values[0])?.value.trim() ?? ''
    },
  }
}

/** Property shape as it is written in the file. */
export type PropertyNode = {
  /** `mappingName`. */
  readonly name?: string
  /** `mappingClass`, not checked yet. */
  readonly mapping?: string
  /** `mappingLink`: IRI of a shape. */
  readonly link?: string
  /** `mappingProperty`: fields of the value. */
  readonly inline: readonly PropertyNode[]
  /** Predicates; `[]` without `sh:path`, `undefined` for a path that is neither a predicate nor an alternative of predicates. */
  readonly paths: readonly string[] | undefined
  readonly required: boolean
  readonly single: boolean
  readonly title?: string
  readonly description?: string
  /** Line of the property, or of its first statement with that predicate; annotations have their local names. */
  readonly line: (predicate?: string) => number
}

/** Node shape as it is written in the file; texts that are missing there are ''. */
export type ShapeNode = {
  readonly iri: string
  readonly file: string
  readonly line: number
  readonly targetClass: string
  readonly name: string
  readonly description: string
  readonly properties: readonly PropertyNode[]
}

/** Finds a shape by its IRI, first in the file that refers to it (`ownFile`). */
export type FindShape = (iri: string, ownFile: string) => ShapeNode | undefined

/** Node shapes of one file by IRI, and its description of the profile with its line. */
type FileShapes = {
  readonly shapes: ReadonlyMap<string, ShapeNode>
  readonly profile?: { readonly node: ProfileNode; readonly line: number } | undefined
  /** Namespaces in which annotation terms were found. */
  readonly namespaces: ReadonlySet<string>
}

/** Members of an RDF list; `undefined` for one that is incomplete or a cycle. */
export function listMembers(
  graph: Graph,
  head: Term,
  visited = new Set<string>(),
): readonly Term[] | undefined {
  if (head.equals(rdf('nil'))) return []
  const [first] = graph.objects(head, rdf('first'))
  const [remainder] = graph.objects(head, rdf('rest'))
  if (!first || !remainder || visited.has(keyOf(head))) return undefined
  visited.add(keyOf(head))
  const tail = listMembers(graph, remainder, visited)
  return tail && [first, ...tail]
}

/**
 * Predicates of `sh:path`; `[]` without one, `undefined` for several and for other paths than predicates and alternatives of
 * them.
 */
export function predicatesOf(graph: Graph, property: Term): readonly string[] | undefined {
  const [path, ...others] = graph.objects(property, sh('path'))
  if (!path) return []
  if (others.length > 0) return undefined
  if (path.termType === 'NamedNode') return [path.value]
  const [alternatives] = graph.objects(path, sh('alternativePath'))
  const members = alternatives && listMembers(graph, alternatives)
  return members?.length && members.every((member) => member.termType === 'NamedNode')
    ? [...new Set(members.map((member) => member.value))]
    : undefined
}

/** Property with its annotations; inline properties are read four levels deep. */
function propertyOf(statements: Statements, node: Term, depth = 0): PropertyNode {
  const { graph, line, text } = statements
  const valueOf = (name: string) => graph.objects(node, name)[0]
  const [name, mapping, link] = [
    valueOf('mappingName'),
    valueOf('mappingClass'),
    valueOf('mappingLink'),
  ]
  const title = text(node, sh('name').value)
  const description = text(node, sh('description').value) || title
  const inline = depth < 4 ? graph.objects(node, 'mappingProperty') : []
  return {
    ...(name && { name: name.value.trim() }),
    ...(mapping && {
      mapping: mapping.termType === 'NamedNode' ? localName(mapping.value) : mapping.value.trim(),
    }),
    ...(link && { link: link.value }),
    ...(title && { title }),
    ...(description && { description }),
    inline: inline.map((part) => propertyOf(statements, part, depth + 1)),
    paths: predicatesOf(graph, node),
    required: Number(valueOf(sh('minCount').value)?.value ?? 0) >= 1,
    single: Number(valueOf(sh('maxCount').value)?.value) === 1,
    line: (predicate) => line(node, predicate),
  }
}

/** Whether one of the classes of a subject matches. */
const hasClass = (graph: Graph, key: string, matches: (type: Term) => boolean) =>
  graph.objects(key, rdf('type')).some(matches)

/** Node shapes of a file, in the order of the file, and its description of the profile. */
export function readShapeNodes(file: string, placed: readonly PlacedQuad[]): FileShapes {
  const statements = statementsOf(placed)
  const { graph, namespaces, line, text } = statements
  const shapes = new Map<string, ShapeNode>()
  for (const iri of graph.subjects()) {
    if (iri.startsWith('_:') || !hasClass(graph, iri, (type) => type.equals(sh('NodeShape'))))
      continue
    shapes.set(iri, {
      iri,
      file,
      line: line(iri),
      targetClass: text(iri, sh('targetClass').value),
      name: text(iri, sh('name').value),
      description: text(iri, sh('description').value),
      properties: graph
        .objects(iri, sh('property'))
        .map((property) => propertyOf(statements, property)),
    })
  }
  const profile = profileNodeOf(statements)
  return { shapes, namespaces, profile }
}

/**
 * Description of the profile: texts of the first node with `profileVersion` or of a class `…Profile`; '' where one is missing.
 */
export type ProfileNode = {
  readonly profileVersion: string
  readonly title: string
  readonly description: string
  readonly maker: string
  readonly versionInfo: string
}

/** Description of the profile in a file and its line; `undefined` without one. */
function profileNodeOf({ graph, line, text }: Statements): FileShapes['profile'] {
  const isProfile = (type: Term) => /^[A-Z][A-Za-z]*Profile$/.test(localName(type.value))
  const node = [...graph.subjects()].find(
    (key) => hasClass(graph, key, isProfile) || graph.objects(key, 'profileVersion').length > 0,
  )
  if (node === undefined) return undefined
  return {
    node: {
      profileVersion: text(node, 'profileVersion'),
      title: text(node, dct('title').value),
      description: text(node, dct('description').value),
      maker: text(node, foaf('maker').value),
      versionInfo: text(node, owl('versionInfo').value),
    },
    line: line(node, 'profileVersion'),
  }
}

// The shape files of a profile directory.

type ShapesFile = FileShapes & { readonly file: string; readonly quads: readonly Quad[] }

/** Shape files of a directory, in the order of lookup, and the lookup. */
export type ShapeFiles = {
  readonly files: readonly ShapesFile[]
  readonly find: FindShape
}

/** Path of a shape file, and the place in the entry file that names it. */
export type NamedFile = { readonly path: string; readonly place: ProfilePlace }

const baseIri = 'urn:cartulary:profile:'

/** Reads one shape file; throws for a symbolic link that points outside of the directory. */
async function readShapeFile(directory: string, path: string): Promise<ShapesFile> {
  const place = await realpath(join(directory, path))
  const root = await realpath(directory)
  if (!place.startsWith(root + sep)) throw new Error('leaves the directory')
  const text = decode(await readFile(place))
  const quads = await parse(text, 'turtle', { baseIri })
  return { file: path, quads, ...readShapeNodes(path, placedQuads(text, baseIri)) }
}

/**
 * Problem of a file with its place: the line of a syntax error, for other failures `entryPlace`, where the entry file names it.
 */
function problemOf(
  cause: unknown,
  path: string,
  entryPlace: ProfilePlace,
): { place: ProfilePlace; problem: string } {
  const [syntaxError] = cause instanceof Failure ? cause.errors : []
  if (syntaxError) {
    const { line, detail } = syntaxError
    return { place: { file: path, line }, problem: detail }
  }
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  const reason = cause instanceof Error ? cause.message : String(cause)
  return { place: entryPlace, problem: `path "${path}" ${isMissing ? 'is not a file' : reason}` }
}

/**
 * Reads the files that the entries name and then every other `*.ttl` of the directory. Files are not merged: a shape that two
 * files define is taken from the file that refers to it, otherwise from the first in this order. A file that cannot be read is a
 * problem when an entry names it, otherwise a warning.
 */
export async function readShapeFiles(
  directory: string,
  namedFiles: readonly NamedFile[],
  problems: Problems,
): Promise<ShapeFiles> {
  const files: ShapesFile[] = []
  const others = (await readdir(directory)).filter((name) => name.endsWith('.ttl')).toSorted()
  const all = [...namedFiles, ...others.map((path): NamedFile => ({ path, place: { file: path } }))]
  for (const [index, { path, place: entryPlace }] of all.entries()) {
    const isNamed = index < namedFiles.length
    const isReadBefore = all.findIndex((other) => other.path === path) < index
    if (isReadBefore || (isNamed && pointsOutside(path))) continue
    try {
      files.push(await readShapeFile(directory, path))
    } catch (cause) {
      const { place, problem } = problemOf(cause, path, entryPlace)
      if (isNamed) problems.add(place, problem)
      else problems.warn(place, `the file is left out: ${problem}`)
    }
  }
  return { files, find: createFindShape(files) }
}

/** Lookup of shapes in the file that refers to them, then in all others in their order. */
const createFindShape =
  (files: readonly ShapesFile[]): FindShape =>
  (iri, ownFile) =>
    files.find(({ file }) => file === ownFile)?.shapes.get(iri) ??
    files.find(({ shapes }) => shapes.has(iri))?.shapes.get(iri)

/** Files of two directories; shapes that the first does not have are looked up in the second. */
export function withFallback(first: ShapeFiles, second: ShapeFiles): ShapeFiles {
  return {
    files: [...first.files, ...second.files],
    find: (iri, ownFile) => first.find(iri, ownFile) ?? second.find(iri, ownFile),
  }
}

/** Shape that an entry names. Reports an unknown one, unless its whole file is missing, which is reported already. */
export function shapeOfEntry(
  { entry, placeOf }: LocatedEntry<{ readonly path: string; readonly shapeUri: string }>,
  { files, find }: ShapeFiles,
  problems: Problems,
): ShapeNode | undefined {
  const node = find(entry.shapeUri, entry.path)
  if (!node && files.some(({ file }) => file === entry.path))
    problems.add(placeOf('shapeUri'), `there is no such sh:NodeShape: <${entry.shapeUri}>`)
  return node
}
