/** What of a document is in no record: the run says it. */
import type { SegmentContext } from '../../pipe/segment.ts'
import { iriOf } from '../importing/cutting/parcels.ts'
import type { RdfDocument } from './rdf-document.ts'

type Sink = SegmentContext['sink']

/** Statements that nobody can read. */
export function tellDropped(sink: Sink, { repairs, url }: RdfDocument): void {
  const dropped = repairs.dropped()
  for (const one of dropped.first)
    sink.finding({ slug: 'dropped-statement', detail: one }, { sourceUrl: url })
  const more = dropped.count - dropped.first.length
  if (more > 0)
    sink.finding({ slug: 'dropped-statement', detail: `and ${more} more` }, { sourceUrl: url })
}

/** Statements that nobody can read, and services that no distribution names. */
export function tellLosses(sink: Sink, document: RdfDocument): void {
  tellDropped(sink, document)
  const { count, first } = document.spool.services()
  tellCounted(sink, { count, first: first.map((term) => iriOf(term) ?? term) }, document.url)
}

/** `services-not-harvested` with the number, and the names of the first where they are known; nothing for none. */
export function tellCounted(
  sink: Sink,
  { count, first }: { readonly count: number; readonly first: readonly string[] },
  sourceUrl: string,
): void {
  if (count === 0) return
  const names = first.length === 0 ? '' : `: ${first.join(', ')}`
  const detail = `${count}${names}${names !== '' && count > first.length ? ', …' : ''}`
  sink.finding({ slug: 'services-not-harvested', detail }, { sourceUrl })
}
