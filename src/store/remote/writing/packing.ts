/** Which of the groups that wait share the next request. */

import { systemGraph } from '../../../rdf/namespaces.ts'
import type { Edit, Size } from '../dialect.ts'
import { together } from './sums.ts'

export type Packable = {
  readonly edits: readonly Edit[]
  readonly size: Size
  /** `waits` = nobody sees when it lands, and it may still wait for company; `ripe` = it has waited long enough. */
  readonly idle: false | 'waits' | 'ripe'
  /** It shares no request. */
  readonly alone?: unknown
}

/** Whether `one` brings a line of the system graph that `idle` takes away. */
function brings({ edits }: Packable, idle: Packable): boolean {
  const [mine, gone] = [edits, idle.edits].map((all) =>
    all.filter(({ graph }) => graph === systemGraph),
  )
  return (mine ?? []).some(({ add }) =>
    (gone ?? []).some(({ remove }) => [...remove].some((line) => add.has(line))),
  )
}

/** Whether `later` may not land before `earlier`. */
function follows(later: Packable, earlier: Packable): boolean {
  if (later.idle && earlier.idle) return false
  if (earlier.idle) return brings(later, earlier)
  return later.idle ? brings(earlier, later) : true
}

/** The first one that must not wait; behind what it would undo. */
function leadOf<One extends Packable>(waiting: readonly One[]): One | undefined {
  const at = waiting.findIndex(({ idle }) => idle !== 'waits')
  const lead = waiting[at]
  return lead && (waiting.slice(0, at).find((idle) => follows(lead, idle)) ?? lead)
}

/**
 * The groups of the next request, in their order; none when nothing has to be sent yet. Groups keep their order, but for those
 * that are idle: they fill a request up, and let others pass that they do not fit together with.
 */
export function packOf<One extends Packable>(
  waiting: readonly One[],
  fits: (size: Size) => boolean,
): readonly One[] {
  const lead = leadOf(waiting)
  if (!lead) return []
  const pack = new Set([lead])
  if (lead.alone !== undefined) return [lead]
  let { size } = lead
  const left: One[] = []
  for (const one of waiting) {
    if (one === lead) continue
    const sum = together(size, one.size)
    const isBehind = left.some((other) => follows(one, other))
    if (one.alone !== undefined || isBehind || !fits(sum)) left.push(one)
    else {
      pack.add(one)
      size = sum
    }
  }
  return waiting.filter((one) => pack.has(one))
}
