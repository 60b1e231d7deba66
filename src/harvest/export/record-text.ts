/**
 * Extracts facts from the text of a record: its dataset node, its title, keys that reveal duplicates in other catalogues, values
 * that search cannot show.
 */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { valueFinding, recordPlace, type RecordMessage } from '../../pipe/message.ts'
import { fromLines } from '../../rdf/lines.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import { parse } from '../../rdf/parse.ts'
import type { DuplicateKey } from '../ledger/duplicate-keys.ts'

const datasetClasses = [dcat('Dataset'), dcat('DatasetSeries')].map(({ value }) => value)
const typeLines = datasetClasses.map((name) => ` <${rdf('type').value}> <${name}> .\n`)

/**
 * Node of the dataset or series if the text is plain N-Triples, one triple per line, about exactly one with an IRI; else
 * `undefined`, and the record is written individually.
 */
export function nodeInText(mediaType: string, text: string): string | undefined {
  if (mediaType.split(';')[0]?.trim() !== 'application/n-triples') return undefined
  const [node, ...others] = typeLines.flatMap((line) => subjectsOf(text, line))
  if (node === undefined || others.length > 0 || !node.startsWith('<')) return undefined
  return isPlain(text) ? node : undefined
}

/** Node of a record for its title: that of `nodeInText`, else the source id if a line of the text declares it a dataset. */
function nodeOfRecord({ mediaType, text, sourceId }: RecordMessage): string | undefined {
  const ownNode = `<${sourceId}>`
  const isDescribed = typeLines.some((line) => `\n${text}`.includes(`\n${ownNode}${line}`))
  return nodeInText(mediaType, text) ?? (isDescribed ? ownNode : undefined)
}

/** Whether every line of N-Triples is exactly one triple. */
const isPlain = (text: string): boolean =>
  text.endsWith('\n') &&
  !text.includes('\r') &&
  text
    .slice(0, -1)
    .split('\n')
    .every((line) => (line.startsWith('<') || line.startsWith('_')) && line.endsWith(' .'))

/** Subjects of the lines with this end, at most two. */
function subjectsOf(text: string, end: string): string[] {
  const subjects: string[] = []
  for (
    let position = text.indexOf(end);
    position >= 0 && subjects.length < 2;
    position = text.indexOf(end, position + 1)
  )
    subjects.push(text.slice(text.lastIndexOf('\n', position) + 1, position))
  return subjects
}

/**
 * Objects of a node's lines with this predicate, at most thirty; only from lines written as in plain N-Triples, none without a
 * node.
 */
function objectsOf(text: string, node: string | undefined, predicate: Term): readonly Term[] {
  if (node === undefined) return []
  const start = `${node} <${predicate.value}> `
  const lines: string[] = []
  for (
    let position = text.indexOf(start);
    position >= 0 && lines.length < 30;
    position = text.indexOf(start, position + 1)
  )
    if (position === 0 || text[position - 1] === '\n')
      lines.push(text.slice(position, text.indexOf('\n', position) + 1))
  try {
    return fromLines(lines.join('')).map(({ object }) => object)
  } catch {
    // Invalid text is refused by the repository, with its own message.
    return []
  }
}

/** Minimum characters of an identifier; two catalogues may have a shorter one by chance. */
const shortestIdentifier = 6

/**
 * Identifier and landing page (without scheme) of a dataset, from plain N-Triples only; the original id if it has no identifier.
 * Identifiers that may coincide by chance, such as numbers, are ignored.
 */
export function duplicateKeyOf(
  text: string,
  originalId: string,
  node: string | undefined,
): DuplicateKey {
  const identifiers = objectsOf(text, node, dct('identifier'))
  const pages = objectsOf(text, node, dcat('landingPage'))
  const id = identifiers.find(({ termType }) => termType === 'Literal')?.value ?? originalId
  const address = pages.find(({ termType }) => termType === 'NamedNode')?.value
  const isDistinctive = id.length >= shortestIdentifier && !/^[\d\s.:_-]*$/.test(id)
  const page = address?.replace(/^https?:\/\//i, '').replace(/\/$/, '')
  return { ...(isDistinctive && { identifier: id }), ...(page && { page }) }
}

/** Maximum characters of a title in an item. */
const longestTitle = 200

/** Members that name a record in the items of a run. `node`: node of its text, if already known. */
export function itemNames(message: RecordMessage, node = nodeOfRecord(message)) {
  const { sourceId, sourceUrl, text } = message
  const titles = objectsOf(text, node, dct('title')).filter((term) => term.termType === 'Literal')
  const english = titles.find(({ language }) => /^en(?:-|$)/i.test(language))
  const title = (english ?? titles[0])?.value.slice(0, longestTitle)
  return { sourceId, sourceUrl, title, ...recordPlace(message) }
}

/** Finds values of a dataset that its search document cannot show: the dotted path of the field, the reason and the value. */
export type UnfitValues = (
  quads: readonly Quad[],
  dataset: string,
) => readonly { readonly field: string; readonly problem: string; readonly value: string }[]

/** Maximum number of findings per record. */
const mostFindings = 20

/**
 * Adds a finding for each value that will be left out of the search document, once per field, value and reason, at most twenty. Of
 * several datasets, the one with the source id counts, else the first.
 */
export async function withUnfitValues(
  message: RecordMessage,
  findUnfit: UnfitValues | undefined,
): Promise<RecordMessage> {
  const quads = (findUnfit && (await quadsInText(message.text, message.mediaType))) ?? []
  const datasets = quads.filter(
    ({ subject, predicate, object }) =>
      subject.termType === 'NamedNode' &&
      predicate.equals(rdf('type')) &&
      datasetClasses.includes(object.value),
  )
  const dataset = datasets.find((quad) => quad.subject.value === message.sourceId) ?? datasets[0]
  if (!dataset || !findUnfit) return message
  const unfitValues = findUnfit(quads, dataset.subject.value).map(({ field, problem, value }) =>
    valueFinding(field, value, problem),
  )
  const distinct = new Map(unfitValues.map((finding) => [finding.detail, finding]))
  const findings = [...distinct.keys()]
    .toSorted()
    .slice(0, mostFindings)
    .map((detail) => ({ slug: 'left-out' as const, detail, ...distinct.get(detail) }))
  return { ...message, findings: [...message.findings, ...findings] }
}

/** Quads of a record; `undefined` for text that is no valid RDF, which the repository refuses with its own message. */
export async function quadsInText(
  text: string,
  mediaType: string,
): Promise<readonly Quad[] | undefined> {
  const format = formatOfMediaType(mediaType)
  try {
    if (format === 'ntriples') return fromLines(text)
    return format && (await parse(text, format, { baseIri: 'urn:x-record:' }))
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
