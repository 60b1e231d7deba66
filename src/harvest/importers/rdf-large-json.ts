/** JSON-LD of any size: a document that does not fit is read twice from a file, member by member. */
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { decode, parse, type ParseOptions } from '../../rdf/parse.ts'
import type { Placing } from '../../rdf/reading/options.ts'
import { parseText } from '../../rdf/reading/parse-stream.ts'
import { blankNode, literal, quad as quadOf } from '../../rdf/terms.ts'
import { jsonMembers, peeked, spillFile } from './documents.ts'
import type { ImportContext } from './importer.ts'

type Bytes = AsyncIterable<Uint8Array>

/** Characters of members that are expanded together. */
const batchCharacters = 1 << 18

type LargeJsonOptions = {
  readonly run: Pick<ImportContext, 'scratch' | 'signal'>
  readonly options: ParseOptions
  /** Documents up to so many bytes are read in memory. */
  readonly inMemory: number
}

/** The quads of a document (UTF-8) in the order of its members. Throws as `parse` does. */
export async function* readLargeJson(
  bytes: Bytes,
  { run, options, inMemory }: LargeJsonOptions,
): AsyncIterable<Quad[]> {
  const { start, body } = await peeked(bytes, inMemory + 1)
  if (start.byteLength <= inMemory) {
    yield* parseText(decode(start), 'jsonld', options)
    return
  }
  // Members are in the document itself when it is a list, else under one of the known names.
  const isList = start.toString('utf8', 0, 4096).trimStart().startsWith('[')
  const paths = isList ? ['$.*'] : lists.map((name) => `$.${name}.*`)
  const file = await spillFile(run.scratch, body, run.signal)
  try {
    yield* membersOf(file.bytes, paths, options)
  } finally {
    await file.remove()
  }
}

const lists = ['@graph', 'dcat:dataset', 'dataset']

/** First the context, wherever it stands, then the members under it. */
async function* membersOf(
  bytes: () => Bytes,
  paths: string[],
  options: ParseOptions,
): AsyncIterable<Quad[]> {
  let context: unknown
  for await (const { value } of jsonMembers(bytes(), { paths: ['$.@context'] })) context = value
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
  for await (const { list, key, value, size } of jsonMembers(bytes(), { paths })) {
    if (typeof value !== 'object' || value === null || typeof key !== 'number') continue
    waiting.push(value)
    pointers.push(list === '' ? `/${key}` : `/${list}/${key}`)
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
