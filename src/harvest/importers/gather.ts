/** Turns what an importer finds into the messages of a run, and decides whether the import is complete. */

import { Failure, type Kind } from '../../errors.ts'
import type { Completeness, Message, Validator } from '../../pipe/message.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import { Reception } from './reception.ts'
import type { Found } from './found.ts'
import type { ImportConfig, ImportLimits } from './import-config.ts'
import type { Source } from './source.ts'

type Gathering = {
  readonly deps: {
    readonly now: () => number
    readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
    readonly limits: ImportLimits
    readonly catalogueExists?: (id: string, signal: AbortSignal) => Promise<boolean>
    readonly owns?: (runId: string) => boolean
  }
  readonly settings: ImportConfig
  readonly context: SegmentContext
  /** Digest of what shapes a record beside its source: part of every source hash. */
  readonly shape: string
  readonly fingerprint: string
  readonly validators: () => readonly Validator[]
  readonly open: (signal: AbortSignal) => Source
  readonly import: (source: Source, signal: AbortSignal) => AsyncIterable<Found>
}

const dryRunLimit = 20

/** Records, refusals and pages in the order of the source, and exactly one `end`. Throws what fails the run. */
export async function* gather(gathering: Gathering, signal: AbortSignal): AsyncGenerator<Message> {
  const { deps, settings, context } = gathering
  const { catalogue } = settings
  if (deps.catalogueExists && !(await deps.catalogueExists(catalogue, signal)))
    throw new Failure(
      'unknown-catalogue',
      `There is no catalogue ${catalogue}; a harvest makes none.`,
    )
  const limit = settings.limit ?? (context.dryRun ? dryRunLimit : undefined)
  const reception = new Reception({ ...gathering, limit })
  let end = yield* pass(gathering, reception, signal)
  // The source changed under our hands: what moved between two pages shows in a second look.
  if (end.kind === 'incomplete' && end.problem?.kind === 'total-changed') {
    reception.startAgain()
    end = yield* pass(gathering, reception, signal)
  }
  yield { kind: 'end', completeness: end }
}

/** One travel over the whole source. */
async function* pass(
  gathering: Gathering,
  reception: Reception,
  signal: AbortSignal,
): AsyncGenerator<Message, Completeness> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const source = gathering.open(either)
  const pace = pacemaker(gathering)
  try {
    for await (const found of gathering.import(source, either)) {
      signal.throwIfAborted()
      if (found.kind === 'end') return endOf(gathering, reception, found)
      for (const message of reception.take(found, source.bytes())) {
        if (message.kind === 'record') await pace(signal)
        yield message
        if (reception.isFull) return { kind: 'incomplete' }
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    const problem = incompleteBy(error, reception.pages)
    if (!problem) throw error
    return { kind: 'incomplete', problem }
  } finally {
    // An importer that is left in the middle may still wait for an answer.
    stop.abort()
  }
  return verdictOf(gathering, reception)
}

function endOf(
  gathering: Gathering,
  reception: Reception,
  end: Extract<Found, { kind: 'end' }>,
): Completeness {
  if (end.as === 'not-modified') return { kind: 'not-modified' }
  const { problem } = end
  if (end.as === 'cut' && reception.isWhole) return verdictOf(gathering, reception)
  return { kind: 'incomplete', ...(problem && { problem }) }
}

function verdictOf(gathering: Gathering, reception: Reception): Completeness {
  const { deps, settings, context, fingerprint, shape } = gathering
  const problem = reception.shortfall(deps.owns?.(context.runId) ?? true)
  if (problem) return { kind: 'incomplete', problem }
  if (settings.incremental || context.only) return { kind: 'incomplete' }
  return { kind: 'complete', fingerprint, shape, validators: gathering.validators() }
}

/** Waits as long as `pulse` asks for between two records. */
function pacemaker({ deps, settings }: Gathering) {
  let last = Number.NEGATIVE_INFINITY
  return async (signal: AbortSignal) => {
    if (settings.pulse === 0) return
    const wait = last + settings.pulse - deps.now()
    if (wait > 0) await deps.pause(wait, signal)
    last = deps.now()
  }
}

// What a failure of the source means for the run: the end of it, or an import that is not complete.

/** Whatever was read so far stays, and nothing is removed. */
const leavesIncomplete: ReadonlySet<Kind> = new Set<Kind>([
  'source-empty',
  'total-mismatch',
  'total-changed',
  'page-repeated',
  'page-loop',
  'page-limit',
  'next-crosses-origin',
])

/** On the first page nothing usable is there; later the run is incomplete. */
const dependsOnPage: ReadonlySet<Kind> = new Set<Kind>([
  'source-html',
  'source-error',
  'source-not-found',
  'source-error-envelope',
  'source-malformed',
  'source-truncated',
  'source-throttled',
  'source-timeout',
  'too-large',
])

/**
 * `undefined`: the run fails. Else the problem of an incomplete import. A source that says when to come back is no
 * failure, whatever the page.
 */
function incompleteBy(error: unknown, pages: number): Failure | undefined {
  if (!(error instanceof Failure)) return undefined
  const { kind } = error
  if (leavesIncomplete.has(kind)) return error
  if (kind === 'source-throttled' && error.retryAfter !== undefined) return error
  return dependsOnPage.has(kind) && pages > 0 ? error : undefined
}
