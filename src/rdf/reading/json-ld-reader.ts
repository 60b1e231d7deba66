/** JSON-LD reader: the package `jsonld` expands a document, this file makes the quads; remote contexts are not loaded. */

import type { BlankNode, Literal, NamedNode, Quad, Quad_Graph, Quad_Object } from '@rdfjs/types'
import { jsonPointer } from '../../errors.ts'
import { inOwnTurn, inTurns } from '../../workers/event-loop.ts'
import { rdf, xsd } from '../namespaces.ts'
import { CheckedTerms, withoutUnusable } from './checked-terms.ts'
import { expandUsable } from './json-ld-expansion.ts'
import {
  aliases,
  contextsIn,
  eachObject,
  isJsonLdObject,
  type JsonLdValue,
  type JsonLdObject,
  readJson,
} from './json-tree.ts'
import {
  BadTerm,
  malformed,
  type ParseOptions,
  placeOf,
  type PlaceRequest,
  termFailure,
} from './options.ts'
import { lastName } from '../iri.ts'

/** Most contexts of one node, and most terms of one context. */
const limits = { contexts: 16, terms: 1_000 }

/** Number of nodes that are converted between two yields. */
const nodesPerChunk = 200

/** Reads a whole document. Throws `remote-context` with the address of a context that is not bundled. */
export async function readJsonLd(text: string, options: ParseOptions): Promise<Quad[]> {
  const tree = readJson(text)
  await inOwnTurn(text)
  boundContexts(tree)
  const restoreTag = shieldTags(tree)
  await inOwnTurn(text)
  const restore = shieldSpaces(tree, text)
  await inOwnTurn(text)
  if (options.placeRequest) markPlaces(tree, options.placeRequest)
  const expanded = await expandUsable(tree, options)
  const terms = new CheckedTerms(options)
  const document = new ExpandedJson({ terms, restore, restoreTag })
  try {
    for await (const node of inTurns(asArray(expanded), nodesPerChunk))
      document.graph(node, terms.defaultGraph())
  } catch (error) {
    if (!(error instanceof BadTerm)) throw error
    throw termFailure(error, placeOf(text, JSON.stringify(error.source).slice(1, -1)))
  }
  return withoutUnusable(document.quads, options)
}

function boundContexts(tree: JsonLdValue): void {
  eachObject(tree, (object) => {
    const contexts = [object['@context']].flat()
    if (contexts.length > limits.contexts) throw malformed('a node has more than 16 contexts')
    for (const context of contexts) {
      if (isJsonLdObject(context) && Object.keys(context).length > limits.terms) {
        throw malformed('a context defines more than 1000 terms')
      }
    }
  })
}

const spacePattern = /\s/g
const schemePattern = /^[A-Za-z][A-Za-z0-9+.-]*:/
const shieldPattern = /[\u{F0009}-\u{FFEFF}]/gu
const shieldOffset = 0xf0000

/**
 * Replaces white space in strings that begin like an IRI by private characters, because expansion would resolve `tel:+49 40` as a
 * relative reference. Returns the reverse function. A document that has such characters already stays unchanged.
 */
function shieldSpaces(tree: JsonLdValue, text: string): (text: string) => string {
  const unchanged = (same: string) => same
  if (shieldPattern.test(text)) {
    shieldPattern.lastIndex = 0
    return unchanged
  }
  let hasShielded = false
  const shield = (value: JsonLdValue): JsonLdValue => {
    if (typeof value !== 'string' || !schemePattern.test(value) || !/\s/.test(value)) return value
    hasShielded = true
    return value.replace(spacePattern, (gap) =>
      String.fromCodePoint(shieldOffset + gap.charCodeAt(0)),
    )
  }
  eachObject({ tree }, (object) => {
    for (const [key, value] of Object.entries(object)) {
      if (key === '@context') continue
      object[key] = Array.isArray(value) ? value.map(shield) : shield(value)
    }
  })
  if (!hasShielded) return unchanged
  return (shieldedText) =>
    shieldedText.replace(shieldPattern, (gap) =>
      String.fromCharCode((gap.codePointAt(0) ?? shieldOffset) - shieldOffset),
    )
}

// Converts expanded JSON-LD to quads (JSON-LD 1.1 API, 8.1) and keeps lexical forms and language tags. `toRDF` of the
// library compares each value of a property with all before it (65 s for 40,000 links, 0.7 s here), rewrites doubles given
// as strings, and silently drops relative IRIs.

type Resource = NamedNode | BlankNode

const asArray = (value: JsonLdValue | undefined): JsonLdValue[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]
const asText = (value: JsonLdValue | undefined) => (typeof value === 'string' ? value : undefined)

/** JSON Canonicalization Scheme (RFC 8785) for `rdf:JSON` literals. */
function canonicalJson(value: JsonLdValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isJsonLdObject(value)) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([key]) => key !== placeKey)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}

/** A reference that expansion emptied, because it looks like a keyword (JSON-LD 1.1 API, 5.2.2). */
const isNothing = (value: JsonLdObject): boolean =>
  value['@id'] === null && Object.keys(value).length === 1

/** A literal has one datatype (JSON-LD 1.1, 9.5), but expansion accepts several. */
function datatypeOf({ '@type': type }: JsonLdObject): string | undefined {
  if (type === undefined || typeof type === 'string') return type
  throw new BadTerm('the @type of a value must be one string', asText([type].flat()[0]) ?? '')
}

/** Canonical `xsd:double` of a native number (JSON-LD 1.1 API, 8.6). */
const double = (value: number) => value.toExponential(15).replace(/(\d)0*e\+?/, '$1E')

function reportNodePlace(
  subject: Resource,
  node: JsonLdObject,
  { classes, report }: PlaceRequest,
): void {
  const pointer = markOf(node)
  const hasRequestedClass = asArray(node['@type']).some((type) => classes.has(asText(type) ?? ''))
  if (pointer === undefined || !hasRequestedClass) return
  report(subject.termType === 'BlankNode' ? `_:${subject.value}` : subject.value, { pointer })
}

type DocumentSettings = {
  readonly terms: CheckedTerms
  /** Reverses the changes made to strings and language tags before expansion. */
  readonly restore: (text: string) => string
  readonly restoreTag: (language: string) => string
}

/** Collects the quads of one document. */
class ExpandedJson {
  readonly quads: Quad[] = []
  readonly settings: DocumentSettings
  constructor(settings: DocumentSettings) {
    this.settings = settings
  }

  graph(nodes: JsonLdValue, name: Quad_Graph): void {
    for (const node of asArray(nodes)) if (isJsonLdObject(node)) this.node(node, name)
  }

  node(node: JsonLdObject, graph: Quad_Graph): Resource {
    const subject = this.resource(asText(node['@id']))
    const { placeRequest: places } = this.settings.terms.options
    if (places) reportNodePlace(subject, node, places)
    for (const [key, value] of Object.entries(node)) {
      if (places && key === placeKey) continue
      if (key === '@type') this.types(subject, asArray(value), graph)
      else if (key === '@graph') this.graph(value, subject)
      else if (key === '@included') this.graph(value, graph)
      else if (key === '@reverse' && isJsonLdObject(value)) this.reverse(subject, value, graph)
      else if (!key.startsWith('@') && !key.startsWith('_:')) {
        this.property(subject, key, { values: asArray(value), graph })
      }
    }
    return subject
  }

  types(subject: Resource, types: readonly JsonLdValue[], graph: Quad_Graph): void {
    for (const type of types) {
      if (typeof type === 'string') this.add(subject, rdf('type'), this.resource(type), graph)
    }
  }

  reverse(object: Resource, reversed: JsonLdObject, graph: Quad_Graph): void {
    for (const [key, nodes] of Object.entries(reversed)) {
      if (key.startsWith('_:')) continue
      const predicate = this.iri(key)
      for (const node of asArray(nodes)) {
        if (isJsonLdObject(node)) this.add(this.node(node, graph), predicate, object, graph)
      }
    }
  }

  property(
    subject: Resource,
    key: string,
    { values, graph }: { values: readonly JsonLdValue[]; graph: Quad_Graph },
  ): void {
    const predicate = this.iri(key)
    for (const value of values) {
      if (!isJsonLdObject(value) || isNothing(value)) continue
      this.add(subject, predicate, this.value(value, graph), graph)
    }
  }

  value(value: JsonLdObject, graph: Quad_Graph): Quad_Object {
    if ('@value' in value) return this.literal(value)
    if ('@list' in value) return this.list(asArray(value['@list']), graph)
    return this.node(value, graph)
  }

  list(members: readonly JsonLdValue[], graph: Quad_Graph): Quad_Object {
    let tail: Quad_Object = rdf('nil')
    for (const member of members.toReversed()) {
      if (!isJsonLdObject(member)) continue
      const cell = this.settings.terms.blankNode()
      this.add(cell, rdf('first'), this.value(member, graph), graph)
      this.add(cell, rdf('rest'), tail, graph)
      tail = cell
    }
    return tail
  }

  literal(value: JsonLdObject): Literal | NamedNode {
    const { terms, restore, restoreTag } = this.settings
    const content = value['@value'] ?? null
    const type = datatypeOf(value)
    if (type === '@json') return terms.literal(restore(canonicalJson(content)), rdf('JSON'))
    const datatype = type === undefined ? undefined : this.iri(type)
    if (typeof content === 'boolean')
      return terms.literal(String(content), datatype ?? xsd('boolean'))
    if (typeof content === 'number') {
      const isInteger = Number.isInteger(content) && Math.abs(content) < 1e21
      return isInteger && type !== xsd('double').value
        ? terms.literal(content.toFixed(0), datatype ?? xsd('integer'))
        : terms.literal(double(content), datatype ?? xsd('double'))
    }
    const text = asText(content) ?? ''
    const language = asText([value['@language']].flat()[0])
    if (language === undefined) return terms.literal(restore(text), datatype)
    return terms.literal(restore(text), restoreTag(language))
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

// Language tags in the document's spelling, which expansion converts to lower case.

/** Terms whose values are language maps. */
function languageMapTerms(contexts: readonly JsonLdObject[]): Set<string> {
  const terms = new Set<string>()
  for (const context of contexts) {
    for (const [term, definition] of Object.entries(context)) {
      if (isJsonLdObject(definition) && [definition['@container']].flat().includes('@language')) {
        terms.add(term)
      }
    }
  }
  return terms
}

/** Private subtag (BCP 47, 2.2.7) that precedes the index of a tag in the table of the document. */
const indexSubtag = '-x-written-'

/**
 * Rewrites language tags in values, language maps and contexts so that they survive expansion. Returns the function that
 * restores a tag.
 */
function shieldTags(tree: JsonLdValue): (expanded: string) => string {
  const contexts = contextsIn(tree)
  const tags = aliases(contexts, '@language')
  const maps = languageMapTerms(contexts)
  const none = aliases(contexts, '@none')
  const numbers = new Map<string, number>()
  const shieldedTag = (tag: string): string => {
    const lowered = tag.toLowerCase()
    if (lowered === tag && !tag.includes(indexSubtag)) return tag
    const number = numbers.get(tag) ?? numbers.size
    numbers.set(tag, number)
    return `${lowered}${indexSubtag}${number}`
  }
  eachObject(tree, (object) => {
    for (const [key, value] of Object.entries(object)) {
      if (tags.has(key) && typeof value === 'string') object[key] = shieldedTag(value)
      if (!maps.has(key) || !isJsonLdObject(value) || contexts.includes(object)) continue
      object[key] = Object.fromEntries(
        Object.entries(value).map(([tag, texts]) => [
          none.has(tag) ? tag : shieldedTag(tag),
          texts,
        ]),
      )
    }
  })
  const originalTags = [...numbers.keys()]
  return (expanded) => {
    const at = expanded.lastIndexOf(indexSubtag)
    return (
      (at < 0 ? undefined : originalTags[Number(expanded.slice(at + indexSubtag.length))]) ??
      expanded
    )
  }
}

// Positions of nodes: a marker passes through expansion with each node, because jsonld reports no positions.

/** Key of the marker: an absolute IRI of a scheme that no context uses as prefix, so that expansion keeps it. */
const placeKey = 'x-cartulary-place:pointer'

/** JSON Pointer in the marker of an expanded node. */
function markOf(node: JsonLdObject): string | undefined {
  const [mark] = [node[placeKey] ?? []].flat()
  const pointer = isJsonLdObject(mark) ? mark['@value'] : undefined
  return typeof pointer === 'string' ? pointer : undefined
}

/** Marks every node whose class may be one of `classes` by its local name; the class is verified after expansion. */
function markPlaces(tree: JsonLdValue, { classes }: PlaceRequest): void {
  const contexts = contextsIn(tree)
  const [types, values] = ['@type', '@value'].map((keyword) => aliases(contexts, keyword))
  const names = [...classes].map(lastName)
  const mayHaveClass = (object: JsonLdObject) =>
    [...(types ?? [])]
      .flatMap((key) => [object[key] ?? []].flat())
      .some((type) => typeof type === 'string' && names.some((name) => type.endsWith(name)))
  mark(tree, '', (object) => {
    // A value object may have no other members.
    const isValue = [...(values ?? [])].some((key) => Object.hasOwn(object, key))
    return !isValue && mayHaveClass(object)
  })
}

function mark(
  value: JsonLdValue,
  pointer: string,
  isMarked: (object: JsonLdObject) => boolean,
): void {
  if (Array.isArray(value)) {
    for (const [at, child] of value.entries())
      if (typeof child === 'object') mark(child, `${pointer}/${at}`, isMarked)
  } else if (isJsonLdObject(value)) {
    for (const [key, child] of Object.entries(value))
      if (typeof child === 'object' && key !== '@context')
        mark(child, `${pointer}${jsonPointer(key)}`, isMarked)
    if (isMarked(value)) value[placeKey] = pointer
  }
}
