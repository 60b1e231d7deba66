/** Reads node shapes and their annotations from one SHACL file (W3C SHACL 2.1–2.3). */

import type { Term } from '@rdfjs/types'
import type { PlacedQuad } from '../rdf/reading/placed-quads.ts'
import { keyOf, localName, rdf, Statements } from './profile-statements.ts'

const sh = 'http://www.w3.org/ns/shacl#'

/** A property of a shape as it stands in the file. */
export type PropertyNode = {
  readonly name?: string
  readonly mapping?: string
  readonly link?: string
  readonly inline: readonly PropertyNode[]
  /** `undefined` = a path that is neither a predicate nor an alternative of predicates. */
  readonly paths: readonly string[] | undefined
  readonly required: boolean
  readonly single: boolean
  readonly description?: string
  /** Where the property and its annotations stand. */
  readonly lines: {
    readonly node: number
    readonly name: number
    readonly mapping: number
    readonly link: number
    readonly path: number
  }
}

export type ShapeNode = {
  readonly iri: string
  readonly file: string
  readonly line: number
  readonly targetClass: string
  readonly name: string
  readonly description: string
  readonly properties: readonly PropertyNode[]
}

/** What one file says. */
export type Shapes = {
  readonly shapes: ReadonlyMap<string, ShapeNode>
  readonly profile?: { readonly node: ProfileNode; readonly line: number }
  /** Namespaces in which annotation terms were found. */
  readonly namespaces: ReadonlySet<string>
}

function listOf(
  statements: Statements,
  head: Term,
  seen = new Set<string>(),
): readonly Term[] | undefined {
  if (head.value === `${rdf}nil`) return []
  const [first] = statements.all(head, `${rdf}first`)
  const [rest] = statements.all(head, `${rdf}rest`)
  if (!first || !rest || seen.has(keyOf(head))) return undefined
  seen.add(keyOf(head))
  const tail = listOf(statements, rest, seen)
  return tail && [first, ...tail]
}

function pathsOf(statements: Statements, property: Term): readonly string[] | undefined {
  const paths = statements.all(property, `${sh}path`)
  const [path] = paths
  if (!path) return []
  if (paths.length > 1) return undefined
  if (path.termType === 'NamedNode') return [path.value]
  const [alternatives] = statements.all(path, `${sh}alternativePath`)
  const members = alternatives && listOf(statements, alternatives)
  return members?.length && members.every((member) => member.termType === 'NamedNode')
    ? [...new Set(members.map((member) => member.value))]
    : undefined
}

const count = (statements: Statements, property: Term, name: string) => {
  const [value] = statements.all(property, sh + name)
  return value && Number(value.value)
}

const linesOf = (statements: Statements, node: Term): PropertyNode['lines'] => ({
  node: statements.line(node),
  name: statements.line(node, 'mappingName'),
  mapping: statements.line(node, 'mappingClass'),
  link: statements.line(node, 'mappingLink'),
  path: statements.line(node, `${sh}path`),
})

function propertyOf(statements: Statements, node: Term, depth = 0): PropertyNode {
  const [name] = statements.all(node, 'mappingName')
  const [mapping] = statements.all(node, 'mappingClass')
  const [link] = statements.all(node, 'mappingLink')
  const description =
    statements.text(node, `${sh}description`) || statements.text(node, `${sh}name`)
  const inline = depth < 4 ? statements.all(node, 'mappingProperty') : []
  return {
    ...(name && { name: name.value.trim() }),
    ...(mapping && {
      mapping: mapping.termType === 'NamedNode' ? localName(mapping.value) : mapping.value.trim(),
    }),
    ...(link && { link: link.value }),
    ...(description && { description }),
    inline: inline.map((part) => propertyOf(statements, part, depth + 1)),
    paths: pathsOf(statements, node),
    required: (count(statements, node, 'minCount') ?? 0) >= 1,
    single: count(statements, node, 'maxCount') === 1,
    lines: linesOf(statements, node),
  }
}

function shapeOf(statements: Statements, file: string, node: Term): ShapeNode {
  return {
    iri: node.value,
    file,
    line: statements.line(node),
    targetClass: statements.text(node, `${sh}targetClass`),
    name: statements.text(node, `${sh}name`),
    description: statements.text(node, `${sh}description`),
    properties: statements.all(node, `${sh}property`).map((term) => propertyOf(statements, term)),
  }
}

/** All node shapes of a file, in the order in which they and their properties stand there. */
export function readShapes(file: string, placed: readonly PlacedQuad[]): Shapes {
  const statements = new Statements(placed)
  const shapes = new Map<string, ShapeNode>()
  for (const node of statements.subjects.values()) {
    const typed = statements.all(node, `${rdf}type`).some((type) => type.value === `${sh}NodeShape`)
    if (typed && node.termType === 'NamedNode')
      shapes.set(node.value, shapeOf(statements, file, node))
  }
  const profile = profileNodeOf(statements)
  return { shapes, namespaces: statements.namespaces, ...(profile && { profile }) }
}

// The node that describes a profile as a whole.

export type ProfileNode = {
  readonly profileVersion: string
  readonly title: string
  readonly description: string
  readonly maker: string
  readonly versionInfo: string
}

const dct = 'http://purl.org/dc/terms/'

/** The profile node of a file and its line; it may be missing. */
function profileNodeOf(
  statements: Statements,
): { readonly node: ProfileNode; readonly line: number } | undefined {
  const isProfile = (type: Term) => /^[A-Z][A-Za-z]*Profile$/.test(localName(type.value))
  for (const node of statements.subjects.values()) {
    const typed = statements.all(node, `${rdf}type`).some(isProfile)
    if (!typed && statements.all(node, 'profileVersion').length === 0) continue
    return {
      node: {
        profileVersion: statements.text(node, 'profileVersion'),
        title: statements.text(node, `${dct}title`),
        description: statements.text(node, `${dct}description`),
        maker: statements.text(node, 'http://xmlns.com/foaf/0.1/maker'),
        versionInfo: statements.text(node, 'http://www.w3.org/2002/07/owl#versionInfo'),
      },
      line: statements.line(node, 'profileVersion'),
    }
  }
  return undefined
}
