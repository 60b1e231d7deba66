/** JSON-LD of any size: a document that does not fit into memory is read twice from its file, member by member. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { parse, type ParseOptions } from '../../rdf/parse.ts'
import type { Placing } from '../../rdf/reading/options.ts'
import { blankNode, literal, quad as quadOf } from '../../rdf/terms.ts'
import { jsonMembers, type StoredDocument } from './documents.ts'

/** Characters of members that are expanded together. */
const batchCharacters = 1 << 18

/** Where members are, in a document that is no list itself. */
const lists = ['$.@graph.*', '$.dcat:dataset.*', '$.dataset.*']

/** The quads in the order of the members: first the context is found, wherever it stands, then the members under it. Throws as `parse`. */
export async function* readLargeJson(
  { start, bytes }: StoredDocument,
  options: ParseOptions,
): AsyncIterable<Quad[]> {
  const paths = /^\s*\[/.test(start) ? ['$.*'] : lists
  let context: unknown
  for await (const { value } of jsonMembers(bytes(), { paths: ['$.@context'] })) context = value
  let waiting: { value: object; pointer: string }[] = []
  let [characters, count] = [0, 0]
  const expand = async () => {
    const graph = waiting.map(({ value }) => value)
    const pointers = waiting.map(({ pointer }) => pointer)
    const document = context === undefined ? graph : { '@context': context, '@graph': graph }
    waiting = []
    characters = 0
    const text = JSON.stringify(document, shielded)
    return (await parse(text, 'jsonld', placed(options, pointers))).map(unshielded)
  }
  for await (const { list, key, value, size } of jsonMembers(bytes(), { paths })) {
    if (typeof value !== 'object' || value === null || typeof key !== 'number') continue
    waiting.push({ value, pointer: list === '' ? `/${key}` : `/${list}/${key}` })
    characters += size
    count += 1
    if (characters >= batchCharacters) yield await expand()
  }
  if (count === 0)
    throw new Failure('too-large', 'The JSON-LD is too large and has no list of members to cut at.')
  if (waiting.length > 0) yield await expand()
}

/** Members that are read together are told with their places in the document. */
function placed(options: ParseOptions, pointers: readonly string[]): ParseOptions {
  const { places } = options
  if (!places) return options
  const tell: Placing['tell'] = (node, place) => {
    const pointer = 'pointer' in place ? place.pointer : ''
    const [, at, below = ''] = /^(?:\/@graph)?\/(\d+)(.*)$/s.exec(pointer) ?? []
    const member = pointers[Number(at)]
    const name = node.startsWith(shield) ? `_:${blankOf({ value: node }).value}` : node
    if (member !== undefined) places.tell(name, { pointer: member + below })
  }
  return { ...options, places: { ...places, tell } }
}

// Labels are good for one parse; members that share a node must meet again. Written as digits they suit every syntax.
const shield = 'urn:cartulary:label:'
const shielded = (_: string, value: unknown) =>
  typeof value === 'string' && value.startsWith('_:')
    ? shield + Buffer.from(value.slice(2)).toString('hex')
    : value

function unshielded(quad: Quad): Quad {
  const { subject, predicate, object, graph } = quad
  const from = subject.value.startsWith(shield) ? blankOf(subject) : subject
  if (!object.value.startsWith(shield))
    return from === subject ? quad : quadOf(from, predicate, object, graph)
  const text = () => `_:${Buffer.from(object.value.slice(shield.length), 'hex').toString()}`
  const to =
    object.termType === 'Literal'
      ? literal(text(), object.language || object.datatype)
      : blankOf(object)
  return quadOf(from, predicate, to, graph)
}

const blankOf = ({ value }: { readonly value: string }) =>
  blankNode(`s${value.slice(shield.length)}`)
