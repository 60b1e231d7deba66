/** Values that a record holds and its search document cannot show: findings of the record. */

import { Failure } from '../../errors.ts'
import type { Finding, RecordMessage } from '../../pipe/message.ts'
import type { Quad } from '@rdfjs/types'
import { fromLines } from '../../rdf/lines.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { dcat, rdf } from '../../rdf/namespaces.ts'
import { parse } from '../../rdf/parse.ts'

/** A value, the dotted path of its field, and what is wrong with it. */
type UnfitValue = {
  readonly field: string
  readonly problem: string
  readonly value: string
}

/** Of the dataset that triples describe under the IRI. */
export type UnfitValues = (quads: readonly Quad[], dataset: string) => readonly UnfitValue[]

/** More would tell nobody anything. */
const mostFindings = 20

/** The record with what will be left out of its document among its findings, once per field and value. */
export async function withLeftOut(
  message: RecordMessage,
  unfit: UnfitValues | undefined,
): Promise<RecordMessage> {
  if (!unfit) return message
  const quads = await quadsOf(message)
  const dataset = quads.find(
    ({ subject, predicate, object }) =>
      subject.termType === 'NamedNode' &&
      predicate.equals(rdf('type')) &&
      classes.has(object.value),
  )
  if (!dataset) return message
  const details = new Set(
    unfit(quads, dataset.subject.value).map(
      ({ field, problem, value }) => `${field}: ${value} (${problem})`,
    ),
  )
  if (details.size === 0) return message
  const found = [...details].toSorted().slice(0, mostFindings).map(findingOf)
  return { ...message, findings: [...message.findings, ...found] }
}

const classes = new Set([dcat('Dataset'), dcat('DatasetSeries')].map(({ value }) => value))

const findingOf = (detail: string): Finding => ({ slug: 'left-out', detail })

/** Nothing for what the repository will refuse in its own words. */
async function quadsOf({ mediaType, text }: RecordMessage): Promise<readonly Quad[]> {
  const format = formatOfMediaType(mediaType)
  try {
    if (format === 'ntriples') return fromLines(text)
    return format ? await parse(text, format, { baseIri: 'urn:x-record:' }) : []
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}
