/** Trace of the work under way (W3C Trace Context): a client sends it as `traceparent`, and further calls carry it on. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

/** Ids of a trace and of this part of it, and whether the client records it. */
type Trace = { readonly traceId: string; readonly spanId: string; readonly flags: string }

const current = new AsyncLocalStorage<Trace | undefined>()

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const zeros = /^0+$/

/** Reads a `traceparent` and makes the ids of a part of its own; `undefined` for an invalid one, which is as good as none. */
function childOf(traceparent: string | undefined): Trace | undefined {
  const [, version, traceId = '', parentId = '', flags = '', more] =
    form.exec(traceparent?.trim() ?? '') ?? []
  const isInvalid =
    version === undefined ||
    version === 'ff' ||
    (version === '00' && more !== undefined) ||
    zeros.test(traceId) ||
    zeros.test(parentId)
  if (isInvalid) return undefined
  const isRecorded = Number.parseInt(flags, 16) % 2 === 1
  return { traceId, spanId: newSpanId(), flags: isRecorded ? '01' : '00' }
}

/** Random id, which is never all zeros: a UUID has its version in the first half. UUIDs are faster to get than random bytes. */
const newTraceId = (): string => randomUUID().replaceAll('-', '')
const newSpanId = (): string => newTraceId().slice(0, 16)

/** Runs work as a part of the trace that `traceparent` names; without a valid one the work has no trace. */
export const inTrace = <T>(traceparent: string | undefined, work: () => T): T =>
  current.run(childOf(traceparent), work)

/** Runs work that no request began, such as the firing of a trigger, in a trace of its own, which its log lines record. */
export const inNewTrace = <T>(work: () => T): T =>
  current.run({ traceId: newTraceId(), spanId: newSpanId(), flags: '01' }, work)

/** Id of the trace of the work that runs; `undefined` without one. */
export const currentTraceId = (): string | undefined => current.getStore()?.traceId

const written = ({ traceId, flags }: Trace, spanId: string): string =>
  `00-${traceId}-${spanId}-${flags}`

/** `traceparent` of the work that runs, for the answer to its client; `undefined` without a trace. */
export const ownTraceparent = (): string | undefined => {
  const trace = current.getStore()
  return trace && written(trace, trace.spanId)
}

/** Header for one further call, whose parent is the work that runs; empty without a trace. */
export function traceHeaders(): { readonly traceparent?: string } {
  const trace = current.getStore()
  return trace ? { traceparent: written(trace, newSpanId()) } : {}
}
