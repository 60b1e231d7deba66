/** The payload of a message that another process, or the feed of a catalogue, has made. */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { RecordMessage } from '../../pipe/message.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { dcat, dqv, rdf } from '../../rdf/namespaces.ts'
import { parse } from '../../rdf/parse.ts'
import { keyOf } from '../../rdf/read.ts'
import { namedNode, quad } from '../../rdf/terms.ts'
import type { Payload, Subject } from './subject.ts'

/** Throws `Failure`: what `parse` throws, `unsupported-media-type`, `missing-class`. */
export async function readPayload(message: RecordMessage, pipe: string): Promise<Payload> {
  const format = formatOfMediaType(message.mediaType)
  if (!format) {
    throw new Failure('unsupported-media-type', `${message.mediaType} is no RDF that can be read`)
  }
  const quads = await parse(message.text, format, { baseIri: 'urn:cartulary:metrics:' })
  const dataset: Quad[] = []
  const measured: Quad[] = []
  for (const q of quads) (q.graph.termType === 'DefaultGraph' ? dataset : measured).push(q)
  const named = measured.find((q) => q.graph.termType === 'NamedNode')
  const metricsGraph = named?.graph.value ?? `urn:cartulary:${encodeURIComponent(pipe)}`
  const subject = subjectOf(message, dataset)
  return { subject, dataset, metrics: inOneGraph(measured, metricsGraph), metricsGraph }
}

/** All in the default graph, with one name for the metadata node whatever the sender called it. */
export function inOneGraph(quads: readonly Quad[], name: string): Quad[] {
  const nodes = new Set(quads.filter(isMetadata).map((q) => keyOf(q.subject)))
  const node = namedNode(name)
  const renamed = <T extends Term>(term: T) =>
    term.termType !== 'Literal' && nodes.has(keyOf(term)) ? node : term
  return quads.map((q) => quad(renamed(q.subject), q.predicate, renamed(q.object)))
}

const type = rdf('type').value
const metadata = dqv('QualityMetadata').value
const classes = new Set([dcat('Dataset').value, dcat('DatasetSeries').value])

const isMetadata = ({ predicate, object }: Quad): boolean =>
  predicate.value === type && object.value === metadata

function subjectOf(message: RecordMessage, dataset: readonly Quad[]): Subject {
  const { identifier, catalogue, source } = message.extra ?? {}
  const id = typeof identifier === 'string' ? identifier : (message.originalId ?? message.sourceId)
  const iri = datasetIri(dataset, id)
  if (iri === undefined) {
    throw new Failure('missing-class', 'the record describes no dataset or series that has an IRI')
  }
  return {
    id,
    iri,
    ...(typeof catalogue === 'string' ? { catalogue } : {}),
    ...(typeof source === 'string' ? { source } : {}),
  }
}

/** The dataset or series whose IRI ends in the id; otherwise the first one. */
function datasetIri(quads: readonly Quad[], id: string): string | undefined {
  const found = quads.flatMap(({ subject, predicate, object }) =>
    predicate.value === type && classes.has(object.value) && subject.termType === 'NamedNode'
      ? [subject.value]
      : [],
  )
  return found.find((iri) => iri.endsWith(`/${id}`)) ?? found[0]
}
