/** Expanded JSON-LD to quads (JSON-LD 1.1 API, 8.1), with lexical forms and language tags as they were written. */
import type { BlankNode, Literal, NamedNode, Quad, Quad_Graph, Quad_Object } from '@rdfjs/types'
import { rdf, xsd } from '../../namespaces.ts'
import type { CheckedTerms } from '../checked-terms.ts'
import { BadTerm } from '../options.ts'
import { spelled } from './languages.ts'
import { isObject, type Json } from './tree.ts'

type JsonObject = { [key: string]: Json }
type Resource = NamedNode | BlankNode

const asArray = (value: Json | undefined): Json[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]
const asText = (value: Json | undefined) => (typeof value === 'string' ? value : undefined)

/** JSON Canonicalization Scheme (RFC 8785) for `rdf:JSON` literals. */
function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([key, held]) => `${JSON.stringify(key)}:${canonicalJson(held)}`).join(',')}}`
}

/** A reference of which expansion left nothing, because it looks like a keyword (JSON-LD 1.1 API, 5.2.2). */
const isNothing = (value: JsonObject): boolean =>
  value['@id'] === null && Object.keys(value).length === 1

/** A literal has one datatype (JSON-LD 1.1, 9.5); expansion lets several pass. */
function datatypeOf({ '@type': type }: JsonObject): string | undefined {
  if (type === undefined || typeof type === 'string') return type
  throw new BadTerm('the @type of a value must be one string', asText([type].flat()[0]) ?? '')
}

/** Canonical `xsd:double` of a native number (JSON-LD 1.1 API, 8.6). */
const double = (value: number) => value.toExponential(15).replace(/(\d)0*e\+?/, '$1E')

export type Settings = {
  readonly terms: CheckedTerms
  /** Undoes what was done to strings before expansion. */
  readonly restore: (text: string) => string
}

/** Collects the quads of one document. */
export class ExpandedJson {
  readonly quads: Quad[] = []
  readonly settings: Settings
  constructor(settings: Settings) {
    this.settings = settings
  }

  graph(nodes: Json, name: Quad_Graph): void {
    for (const node of asArray(nodes)) if (isObject(node)) this.node(node, name)
  }

  node(node: JsonObject, graph: Quad_Graph): Resource {
    const subject = this.resource(asText(node['@id']))
    for (const [key, value] of Object.entries(node)) {
      if (key === '@type') this.types(subject, asArray(value), graph)
      else if (key === '@graph') this.graph(value, subject)
      else if (key === '@included') this.graph(value, graph)
      else if (key === '@reverse' && isObject(value)) this.reverse(subject, value, graph)
      else if (!key.startsWith('@') && !key.startsWith('_:')) {
        this.property(subject, key, { values: asArray(value), graph })
      }
    }
    return subject
  }

  types(subject: Resource, types: readonly Json[], graph: Quad_Graph): void {
    for (const type of types) {
      if (typeof type === 'string') this.add(subject, rdf('type'), this.resource(type), graph)
    }
  }

  reverse(object: Resource, reversed: JsonObject, graph: Quad_Graph): void {
    for (const [key, nodes] of Object.entries(reversed)) {
      if (key.startsWith('_:')) continue
      const predicate = this.iri(key)
      for (const node of asArray(nodes)) {
        if (isObject(node)) this.add(this.node(node, graph), predicate, object, graph)
      }
    }
  }

  property(
    subject: Resource,
    key: string,
    { values, graph }: { values: readonly Json[]; graph: Quad_Graph },
  ): void {
    const predicate = this.iri(key)
    for (const value of values) {
      if (!isObject(value) || isNothing(value)) continue
      this.add(subject, predicate, this.value(value, graph), graph)
    }
  }

  value(value: JsonObject, graph: Quad_Graph): Quad_Object {
    if ('@value' in value) return this.literal(value)
    if ('@list' in value) return this.list(asArray(value['@list']), graph)
    return this.node(value, graph)
  }

  list(members: readonly Json[], graph: Quad_Graph): Quad_Object {
    let rest: Quad_Object = rdf('nil')
    for (const member of members.toReversed()) {
      if (!isObject(member)) continue
      const cell = this.settings.terms.blankNode()
      this.add(cell, rdf('first'), this.value(member, graph), graph)
      this.add(cell, rdf('rest'), rest, graph)
      rest = cell
    }
    return rest
  }

  literal(value: JsonObject): Literal | NamedNode {
    const { terms, restore } = this.settings
    const held = value['@value'] ?? null
    const type = datatypeOf(value)
    if (type === '@json') return terms.literal(restore(canonicalJson(held)), rdf('JSON'))
    const datatype = type === undefined ? undefined : this.iri(type)
    if (typeof held === 'boolean') return terms.literal(String(held), datatype ?? xsd('boolean'))
    if (typeof held === 'number') {
      const whole = Number.isInteger(held) && Math.abs(held) < 1e21
      return whole && type !== xsd('double').value
        ? terms.literal(held.toFixed(0), datatype ?? xsd('integer'))
        : terms.literal(double(held), datatype ?? xsd('double'))
    }
    const text = asText(held) ?? ''
    const language = asText([value['@language']].flat()[0])
    if (language === undefined) return terms.literal(restore(text), datatype)
    return terms.literal(restore(text), spelled(language))
  }

  resource(id: string | undefined): Resource {
    if (id === undefined) return this.settings.terms.blankNode()
    return id.startsWith('_:') ? this.settings.terms.blankNode(id.slice(2)) : this.iri(id)
  }

  iri(iri: string): NamedNode {
    return this.settings.terms.namedNode(this.settings.restore(iri))
  }

  // oxlint-disable-next-line eslint/max-params -- the four parts of a quad
  add(subject: Resource, predicate: NamedNode, object: Quad_Object, graph: Quad_Graph): void {
    this.quads.push(this.settings.terms.quad(subject, predicate, object, graph))
  }
}
