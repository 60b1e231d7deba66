/** Where segments report what happens in a run. */

import type { Finding, RecordMessage } from '../message.ts'
import type { RunItem, RunOutcome } from './run.ts'

/** Everything is cheap and does not wait; the implementation writes in groups. */
export type RunSink = {
  item(item: Omit<RunItem, 'time'>): void
  /**
   * What concerns no record, or one that has been told already (`about`). Findings of a record that is still on its way
   * travel in its message. Counted, and by slug the first three stand in the report.
   */
  finding(finding: Finding, about?: Pick<RunItem, 'sourceId' | 'originalId' | 'sourceUrl'>): void
  /** A declared total; the last one counts. */
  total(total: number): void
  offered(count?: number): void
  adopted(count: number): void
  /**
   * A page was handed on whole. Not what a run is resumed from: that is the `cursor` of a `page` message which has come
   * out of the last segment, because only then everything before it was written.
   */
  page(page: { readonly cursor?: string; readonly bytes?: number; readonly millis?: number }): void
  /** A request left the house and was answered with this status, or `error`. */
  request(request: { readonly host: string; readonly status: number | 'error' }): void
  /** Any sign of life: keeps the run from counting as stalled. */
  alive(): void
  /** A segment has ended. */
  processed(segmentNumber: number): void
  /** How the run ends if nothing worse happens; the last segment decides. */
  outcome(outcome: RunOutcome, problem?: Error): void
}

type Told = Pick<RecordMessage, 'sourceId' | 'originalId' | 'sourceUrl' | 'findings'>

/** Tells the findings of a record that goes no further in this process: no item of its own will name them. */
export function tellFindings(sink: Pick<RunSink, 'finding'>, record: Told): void {
  const { sourceId, originalId, sourceUrl, findings } = record
  const about = {
    sourceId,
    ...(originalId !== undefined && { originalId }),
    ...(sourceUrl !== undefined && { sourceUrl }),
  }
  for (const finding of findings) sink.finding(finding, about)
}
