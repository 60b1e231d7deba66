/** JSON-LD of any size: a document that does not fit is read twice from a file, member by member. */
import { JSONParser } from '@streamparser/json'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { decode, parse, type ParseOptions } from '../../rdf/parse.ts'
import type { Placing } from '../../rdf/reading/options.ts'
import { parseText } from '../../rdf/reading/parse-stream.ts'
import { blankNode, literal, quad as quadOf } from '../../rdf/terms.ts'
import { demandEnd, step } from './json-document.ts'
import type { Spilled } from './spill-file.ts'

type Bytes = AsyncIterable<Uint8Array>

export type Spill = {
  /** Documents up to so many bytes are read in memory. */
  readonly from: number
  readonly keep: (bytes: Bytes) => Promise<Spilled>
}

/** Characters of members that are expanded together. */
const batchCharacters = 1 << 18

/** The quads of a document in the order of its members. Throws as `parse` does. */
export async function* readLargeJson(
  body: Bytes,
  { options, spill }: { options: ParseOptions; spill: Spill },
): AsyncIterable<Quad[]> {
  const parts: Uint8Array[] = []
  let size = 0
  const iterator = body[Symbol.asyncIterator]()
  const rest = { [Symbol.asyncIterator]: () => iterator }
  while (size <= spill.from) {
    const next = await iterator.next()
    if (next.done === true) {
      yield* parseText(decode(Buffer.concat(parts)), 'jsonld', options)
      return
    }
    parts.push(next.value)
    size += next.value.byteLength
  }
  async function* whole() {
    yield* parts.splice(0)
    yield* rest
  }
  const spilled = await spill.keep(whole())
  try {
    yield* membersOf(spilled, options)
  } finally {
    await spilled.remove()
  }
}

const lists = ['@graph', 'dcat:dataset', 'dataset']

/** First the context, wherever it stands, then the members under it. */
async function* membersOf({ bytes }: Spilled, options: ParseOptions): AsyncIterable<Quad[]> {
  let context: unknown
  for await (const { key, value } of values(bytes(), ['$.@context']))
    if (key === '@context') context = value
  const members = values(bytes(), await pathsOf(bytes()), isMember)
  let waiting: unknown[] = []
  let pointers: string[] = []
  let characters = 0
  let count = 0
  const expand = () => {
    const document = context === undefined ? waiting : { '@context': context, '@graph': waiting }
    const text = JSON.stringify(document, shielded)
    const reading = { ...options, ...placesIn(pointers, options) }
    waiting = []
    pointers = []
    characters = 0
    return parse(text, 'jsonld', reading)
  }
  for await (const { list, key, value, size } of members) {
    waiting.push(value)
    pointers.push(list === undefined ? `/${key}` : `/${list}/${key}`)
    characters += size
    count += 1
    if (characters >= batchCharacters) yield (await expand()).map(unshielded)
  }
  if (count === 0)
    throw new Failure('too-large', 'The JSON-LD is too large and has no list of members to cut at.')
  if (waiting.length > 0) yield (await expand()).map(unshielded)
}

/** Of members that are read together the places in the document: `pointers` of theirs. */
function placesIn(pointers: readonly string[], { places }: ParseOptions): Partial<ParseOptions> {
  if (!places) return {}
  const tell: Placing['tell'] = (node, place) => {
    const pointer = 'pointer' in place ? place.pointer : ''
    const [, at, below = ''] = /^(?:\/@graph)?\/(\d+)(.*)$/s.exec(pointer) ?? []
    const member = pointers[Number(at)]
    const name = node.startsWith(shield) ? `_:${blankOf({ value: node }).value}` : node
    if (member !== undefined) places.tell(name, { pointer: member + below })
  }
  return { places: { classes: places.classes, tell } }
}

/** Where members are: in the document itself when it is a list, else under one of the known names. */
async function pathsOf(bytes: Bytes): Promise<string[]> {
  for await (const piece of bytes) {
    const [first] = Buffer.from(piece)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trimStart()
    if (first !== undefined) return first === '[' ? ['$.*'] : lists.map((name) => `$.${name}.*`)
  }
  return []
}

type Value = {
  readonly key: string | number | undefined
  /** The name of what holds it, unless that is the document. */
  readonly list: string | number | undefined
  readonly value: unknown
  readonly size: number
}
type Emitted = { readonly key?: unknown; readonly value?: unknown }

const isMember = ({ key, value }: Emitted) =>
  typeof value === 'object' && value !== null && typeof key === 'number'

/** The values at some paths, as they become whole. Throws `source-truncated` and `source-malformed`. */
async function* values(
  bytes: Bytes,
  paths: string[],
  isWanted: (found: Emitted) => boolean = () => true,
): AsyncIterable<Value> {
  let found: Value[] = []
  let length = 0
  let last = 0
  const parser = new JSONParser({ paths, keepStack: false })
  parser.onValue = (emitted) => {
    if (!isWanted(emitted)) return
    const { key, value, stack } = emitted
    found.push({ key, list: stack.at(-1)?.key, value, size: length - last })
    last = length
  }
  for await (const piece of bytes) {
    length += piece.byteLength
    step(() => parser.write(piece))
    yield* found
    found = []
  }
  demandEnd(parser)
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
