/** Reads node shapes and their annotations from one SHACL file (W3C SHACL 2.1–2.3). */

import type { Quad, Term } from '@rdfjs/types'

const sh = 'http://www.w3.org/ns/shacl#'
const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'

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
}

export type ShapeNode = {
  readonly iri: string
  readonly file: string
  readonly targetClass: string
  readonly name: string
  readonly description: string
  readonly properties: readonly PropertyNode[]
}

/** The node that describes the profile as a whole; it may be missing. */
export type ProfileNode = {
  readonly profileVersion: string
  readonly title: string
  readonly description: string
  readonly maker: string
  readonly versionInfo: string
}

export type ShapesFile = {
  readonly file: string
  readonly quads: readonly Quad[]
  readonly shapes: ReadonlyMap<string, ShapeNode>
  readonly profile?: ProfileNode
  /** Namespaces in which annotation terms were found. */
  readonly namespaces: ReadonlySet<string>
}

export const localName = (iri: string) =>
  iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1)

const keyOf = (term: Term) => `${term.termType} ${term.value}`
const annotations = new Set([
  'mappingName',
  'mappingClass',
  'mappingLink',
  'mappingProperty',
  'profileVersion',
])

/** All statements by subject; annotation terms are kept under their local name, whatever their namespace. */
class Statements {
  readonly #bySubject = new Map<string, Map<string, Term[]>>()
  readonly namespaces = new Set<string>()
  readonly subjects = new Map<string, Term>()

  constructor(quads: readonly Quad[]) {
    for (const { subject, predicate, object } of quads) {
      const key = keyOf(subject)
      const local = localName(predicate.value)
      const isAnnotation = annotations.has(local)
      if (isAnnotation) this.namespaces.add(predicate.value.slice(0, -local.length))
      this.subjects.set(key, subject)
      const predicates = this.#bySubject.get(key) ?? new Map<string, Term[]>()
      this.#bySubject.set(key, predicates)
      const name = isAnnotation ? local : predicate.value
      const objects = predicates.get(name)
      if (objects) objects.push(object)
      else predicates.set(name, [object])
    }
  }

  all(subject: Term, predicate: string): readonly Term[] {
    return this.#bySubject.get(keyOf(subject))?.get(predicate) ?? []
  }

  text(subject: Term, ...predicates: readonly string[]): string {
    const found = predicates.flatMap((predicate) => this.all(subject, predicate))
    const english = found.find((term) => term.termType === 'Literal' && term.language === 'en')
    return (english ?? found[0])?.value.trim() ?? ''
  }
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
    ? members.map((member) => member.value)
    : undefined
}

const count = (statements: Statements, property: Term, name: string) => {
  const [value] = statements.all(property, sh + name)
  return value && Number(value.value)
}

function propertyOf(statements: Statements, node: Term, depth = 0): PropertyNode {
  const [name] = statements.all(node, 'mappingName')
  const [mapping] = statements.all(node, 'mappingClass')
  const [link] = statements.all(node, 'mappingLink')
  const description = statements.text(node, `${sh}description`, `${sh}name`)
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
  }
}

function shapeOf(statements: Statements, file: string, node: Term): ShapeNode {
  return {
    iri: node.value,
    file,
    targetClass: statements.text(node, `${sh}targetClass`),
    name: statements.text(node, `${sh}name`),
    description: statements.text(node, `${sh}description`),
    properties: statements.all(node, `${sh}property`).map((term) => propertyOf(statements, term)),
  }
}

const dct = 'http://purl.org/dc/terms/'

function profileOf(statements: Statements): ProfileNode | undefined {
  const isProfile = (type: Term) => /^[A-Z][a-z]*Profile$/.test(localName(type.value))
  for (const node of statements.subjects.values()) {
    const typed = statements.all(node, `${rdf}type`).some(isProfile)
    if (!typed && statements.all(node, 'profileVersion').length === 0) continue
    return {
      profileVersion: statements.text(node, 'profileVersion'),
      title: statements.text(node, `${dct}title`),
      description: statements.text(node, `${dct}description`),
      maker: statements.text(node, 'http://xmlns.com/foaf/0.1/maker'),
      versionInfo: statements.text(node, 'http://www.w3.org/2002/07/owl#versionInfo'),
    }
  }
  return undefined
}

/** All node shapes of a file, in the order in which they and their properties stand there. */
export function readShapes(file: string, quads: readonly Quad[]): ShapesFile {
  const statements = new Statements(quads)
  const shapes = new Map<string, ShapeNode>()
  for (const node of statements.subjects.values()) {
    const typed = statements.all(node, `${rdf}type`).some((type) => type.value === `${sh}NodeShape`)
    if (typed && node.termType === 'NamedNode')
      shapes.set(node.value, shapeOf(statements, file, node))
  }
  const profile = profileOf(statements)
  return { file, quads, shapes, namespaces: statements.namespaces, ...(profile && { profile }) }
}
