/**
 * Payload of the messages of the quality pipe: a dataset and the metrics that it has so far, read from RDF and written as TriG.
 */

import type { BlankNode, NamedNode, Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { RecordMessage, RecordHeader } from '../../pipe/message.ts'
import { quoteIri, toLine } from '../../rdf/lines.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { dcat, dqv, rdf } from '../../rdf/namespaces.ts'
import { parse } from '../../rdf/parse.ts'
import { NodeKinds } from '../../rdf/node-kinds.ts'
import { keyOf } from '../../rdf/read.ts'
import { namedNode, quad } from '../../rdf/terms.ts'

/** The dataset that is measured. */
type MeasuredSubject = {
  /** Platform id. */
  readonly id: string
  readonly iri: string
  /** Id of its catalogue. */
  readonly catalogue?: string
  /** `dct:type` of the catalogue, in lower case where the feed read it, such as `dcat-ap`. */
  readonly source?: string
}

/** A dataset in the pipe, with the metrics that it has so far. */
export type Payload = {
  readonly subject: MeasuredSubject
  /** As the repository returns it, with blank nodes; all in the default graph. */
  readonly dataset: readonly Quad[]
  /** Content of the metrics graph, in the default graph here. Its `dqv:QualityMetadata`, if any, is `metricsNode`. */
  readonly metrics: readonly Quad[]
  /** Name of that graph in the text of the message: that of its first named graph, else `urn:cartulary:{pipe}`. */
  readonly metricsGraph: string
  /** The dataset as N-Triples, where it was read as such. */
  readonly lines?: string
}

/** The `dqv:QualityMetadata` node until the exporter gives it the platform's name. */
export const metricsNode = ({ metricsGraph }: Pick<Payload, 'metricsGraph'>): NamedNode =>
  namedNode(metricsGraph)

/** Payloads of messages that were read, or whose text is not written yet, with the other members of the message. */
const payloads = new WeakMap<
  RecordMessage,
  { readonly payload: Payload; readonly header: RecordHeader }
>()

/**
 * Payload of a message: remembered when `withPayload` or `messageOfPayload` made the message, else read from its text (TriG,
 * N-Quads or any other RDF) and then remembered. `pipe` names the metrics graph of a message that has none yet. Throws `Failure`:
 * `malformed-rdf`, `unsupported-media-type`, and `missing-class` when there is no dataset in it.
 */
export async function payloadOf(message: RecordMessage, pipe = 'metrics'): Promise<Payload> {
  const cached = payloads.get(message)
  if (cached) return cached.payload
  const payload = await readPayload(message, pipe)
  const { text: _text, ...header } = message
  payloads.set(message, { payload, header })
  return payload
}

/** Makes the message of a dataset of the own repository; `counter` is its position in the run. */
export function messageOfPayload(payload: Payload, counter: number): RecordMessage {
  const { subject, metrics } = payload
  return messageOf(payload, {
    kind: 'record',
    counter,
    sourceId: subject.id,
    aliases: [],
    mediaType: metrics.length === 0 ? 'application/n-triples' : 'application/trig',
    findings: [],
    extra: { ...names(subject), uriRef: subject.iri },
  })
}

/** Returns a message with another payload, marked as one whose metrics are exported. */
export function withPayload(message: RecordMessage, payload: Payload): RecordMessage {
  const header = payloads.get(message)?.header ?? message
  const extra = { ...message.extra, ...names(payload.subject), content: 'metrics' }
  return messageOf(payload, { ...header, mediaType: 'application/trig', extra })
}

/** Makes a message of a payload; its text is made when it is first read. */
function messageOf(payload: Payload, header: RecordHeader): RecordMessage {
  let text: string | undefined
  const message: RecordMessage = {
    ...header,
    get text() {
      return (text ??= trig(payload))
    },
  }
  payloads.set(message, { payload, header })
  return message
}

const names = ({ id, catalogue, source }: MeasuredSubject) => ({
  identifier: id,
  catalogue,
  source,
})

/** Reads the text of a message. Throws `Failure`: what `parse` throws, `unsupported-media-type`, `missing-class`. */
async function readPayload(message: RecordMessage, pipe: string): Promise<Payload> {
  const format = formatOfMediaType(message.mediaType)
  if (!format) {
    throw new Failure('unsupported-media-type', `${message.mediaType} is no RDF that can be read`)
  }
  const quads = await parse(message.text, format, { baseIri: 'urn:cartulary:metrics:' })
  const dataset: Quad[] = []
  const measured: Quad[] = []
  for (const q of quads) (q.graph.termType === 'DefaultGraph' ? dataset : measured).push(q)
  const namedQuad = measured.find((q) => q.graph.termType === 'NamedNode')
  const metricsGraph = namedQuad?.graph.value ?? `urn:cartulary:${encodeURIComponent(pipe)}`
  const subject = subjectOf(message, dataset)
  return { subject, dataset, metrics: inOneGraph(measured, metricsGraph), metricsGraph }
}

/** Moves triples into the default graph and gives the metadata node the name that it has here. */
export function inOneGraph(quads: readonly Quad[], name: string): Quad[] {
  const nodes = new Set(quads.filter(isMetadata).map((q) => keyOf(q.subject)))
  const node = namedNode(name)
  const rename = <T extends Term>(term: T) =>
    term.termType !== 'Literal' && nodes.has(keyOf(term)) ? node : term
  return quads.map((q) => quad(rename(q.subject), q.predicate, rename(q.object)))
}

const type = rdf('type').value
const metadata = dqv('QualityMetadata').value

const isMetadata = ({ predicate, object }: Quad): boolean =>
  predicate.value === type && object.value === metadata

function subjectOf(message: RecordMessage, dataset: readonly Quad[]): MeasuredSubject {
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
  const datasets = [...new NodeKinds(quads).datasets().values()]
  const iris = datasets.flatMap((node) => (node.termType === 'NamedNode' ? [node.value] : []))
  return iris.find((iri) => iri.endsWith(`/${id}`)) ?? iris[0]
}

// The text of a payload: lines of N-Triples, those of the metrics between braces, which is TriG (W3C TriG, 2.2).

/** Writes a payload as N-Triples, with metrics as TriG. The order of the quads stays. */
function trig(payload: Omit<Payload, 'subject'>): string {
  const { dataset, metrics, metricsGraph } = payload
  const datasetText = payload.lines ?? lines(dataset)
  return metrics.length === 0
    ? datasetText
    : `${datasetText}${quoteIri(metricsGraph)} {\n${lines(metrics)}}\n`
}

const lines = (quads: readonly Quad[]): string =>
  quads.map((triple) => `${toLine(triple)}\n`).join('')

const distribution = dcat('distribution').value

/**
 * Distributions of a dataset: objects of its `dcat:distribution`, each once, in the order of the triples. Literals are left out.
 */
export function distributionsOf({
  subject,
  dataset,
}: Pick<Payload, 'subject' | 'dataset'>): readonly (NamedNode | BlankNode)[] {
  const distributions = new Map<string, NamedNode | BlankNode>()
  for (const { subject: about, predicate, object } of dataset) {
    if (predicate.value !== distribution || about.value !== subject.iri) continue
    if (object.termType === 'NamedNode' || object.termType === 'BlankNode') {
      distributions.set(keyOf(object), object)
    }
  }
  return [...distributions.values()]
}
