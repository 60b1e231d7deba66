/**
 * Lease of a remote store: the right to write, which one process at a time has. It is a fact in the system graph with a token, which
 * grows with every holder, and a counter, which the holder increases as its heartbeat.
 */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import { factLine } from '../marks.ts'
import { bind, loadQuery } from '../queries.ts'
import type { StoreEndpoint } from './dialect.ts'
import { type BackgroundLoop, backgroundLoop } from '../../workers/background-loop.ts'
import type { Pause } from '../../workers/pause.ts'
import { retry } from '../../workers/retry.ts'
import { isOutcomeUnknown } from './starting.ts'
import { withDefaults } from '../../text/defaults.ts'

/** Options of the lease. */
export type LeaseOptions = {
  /** Name of this process, of characters `[\w.:-]`. */
  readonly holder: string
  /** Whether another holder was a process of the same data directory, which must have ended, because there is one at a time. */
  readonly isPredecessor: (holder: string) => boolean
  /** Called before waiting; rejects when this process must not use the store at all. */
  readonly checkStore?: (store: Pick<StoreEndpoint, 'select'>) => Promise<void>
  /** Called when a lost lease is held again, or the store was emptied: others may have written meanwhile. */
  readonly onRegained?: () => void
  /** Called with a sentence about the holder or the silent store that is waited for, and with `undefined` when the lease is held. */
  readonly onWaiting: (detail: string | undefined) => void
  readonly times?: Partial<LeaseTimes>
}

/** Times in ms. No clocks of two machines are compared: a candidate watches whether the holder's counter changes. */
type LeaseTimes = {
  /** Time between two heartbeats of the holder. */
  readonly heartbeatMs: number
  /** Time after the last confirmed heartbeat in which writes are sent without another one. */
  readonly trustedMs: number
  /** Time without a heartbeat after which a candidate takes the lease; longer than `trustedMs` by the time that a write may take. */
  readonly deadMs: number
  /** Mean time between two polls of a candidate. */
  readonly pollMs: number
}

const defaultTimes: LeaseTimes = { heartbeatMs: 4000, trustedMs: 9000, deadMs: 15_000, pollMs: 500 }

type Settings = LeaseOptions & {
  readonly endpoint: Pick<StoreEndpoint, 'select' | 'update'>
  readonly pause: Pause
  readonly log: Log
  readonly now: () => number
  readonly random: () => number
  /** Finishes interrupted writes; runs when a lost lease is regained, before the first write. */
  readonly recover?: () => Promise<void>
}

/** Content of the fact: a token that grows with every holder, a counter of heartbeats, and the name of the holder. */
type Claim = { readonly token: number; readonly beat: number; readonly holder: string }

const subject = 'urn:cartulary:writer'
const noHolder = '-'
const query = loadQuery('writer-lease')

const textOf = ({ token, beat, holder }: Claim) => `${token} ${beat} ${holder}`

function claimIn(text: string): Claim {
  const [token, beat, holder = noHolder] = text.split(' ')
  return { token: Number(token) || 0, beat: Number(beat) || 0, holder }
}

/** Update that replaces the facts that were read by another; it does nothing if they have changed. */
function swapText(readFacts: readonly string[], next: string | undefined): string {
  const facts = (texts: readonly string[]) =>
    texts.map((text) => factLine(subject, 'lease', text)).join(' ')
  const inGraph = (pattern: string) => `GRAPH <${systemGraph}> { ${pattern} }`
  const added = next === undefined ? '' : `INSERT { ${inGraph(facts([next]))} } `
  if (readFacts.length > 0)
    return `DELETE { ${inGraph(facts(readFacts))} } ${added}WHERE { ${inGraph(facts(readFacts))} }`
  const anyLease = `<${subject}> <${ctl('lease').value}> ?any`
  const base = `<${subject}> a <${ctl('Writer').value}>`
  return `INSERT DATA { ${inGraph(base)} } ; ${added}WHERE { ${inGraph(base)} FILTER NOT EXISTS { ${inGraph(anyLease)} } }`
}

/** Facts of the lease before it was acquired, the fact of this process, and the time of the request in ms. */
type AcquiredLease = {
  readonly before: readonly string[]
  readonly ownFact: string
  readonly requestedAt: number
}

/** Acquires the lease, confirms it by heartbeats, and releases it. */
export class StoreLease {
  readonly #settings: Settings
  readonly #times: LeaseTimes
  readonly #ending = new AbortController()
  /** Facts that were read, with the time in ms since which each is unchanged. */
  readonly #unchangedSince = new Map<string, number>()
  /** Fact of this process in the store; `undefined` without the lease. */
  #ownFact: string | undefined
  #isLost = false
  /** Whether the lease was lost, and `onRegained` not called since. */
  #wasLost = false
  #confirmedAt = -Infinity
  #heartbeat: Promise<void> | undefined
  #heartbeatLoop: BackgroundLoop | undefined

  constructor(settings: Settings) {
    this.#settings = settings
    this.#times = withDefaults(defaultTimes, settings.times)
  }

  get isHeld(): boolean {
    return !this.#isLost && this.#settings.now() - this.#confirmedAt < this.#times.trustedMs
  }

  /** Acquires the lease; waits while another process holds it. Resolves with `true` if the last holder did not release it. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    const { pause, onWaiting, random, log } = this.#settings
    const { pollMs, heartbeatMs } = this.#times
    const poll = () =>
      this.#poll(onWaiting).catch((error: unknown) => {
        if (!isOutcomeUnknown(error)) throw error
        onWaiting(error instanceof Failure ? error.detail : 'The store does not answer.')
        return undefined
      })
    const acquired = await retry(poll, {
      delayMs: (outcome) =>
        'value' in outcome && !outcome.value ? pollMs * (0.5 + random()) : undefined,
      pause: (ms) => pause(ms, signal),
      signal,
    })
    if (!acquired) return false
    onWaiting(undefined)
    this.#ownFact = acquired.ownFact
    this.#confirmedAt = acquired.requestedAt
    const heartbeat = () => this.#sendHeartbeat()
    this.#heartbeatLoop = backgroundLoop('store.lease-beat-failed', heartbeatMs, heartbeat, {
      log,
      pause,
    })
    return acquired.before.some((text) => claimIn(text).holder !== noHolder)
  }

  /** Confirms the lease; to be called before each write. Rejects with `store-unavailable` when another process may hold it. */
  async requireHeld(): Promise<void> {
    if (this.isHeld) return
    await this.#sendHeartbeat()
    if (this.isHeld) return
    const why = this.#isLost
      ? 'Another gateway writes to this store now. This one goes on when that one has stopped.'
      : 'The store did not confirm that no other gateway writes to it.'
    throw new Failure('store-unavailable', why, { retryAfter: 5 })
  }

  /** Releases the lease, so that the next process gets it at once. */
  async release(): Promise<void> {
    this.#ending.abort()
    await this.#heartbeatLoop?.stop()
    await this.#heartbeat
    if (this.#ownFact === undefined || this.#isLost) return
    const { token } = claimIn(this.#ownFact)
    const releasedFact = textOf({ token, beat: 0, holder: noHolder })
    await this.#swap([this.#ownFact], releasedFact).catch((error: unknown) =>
      this.#settings.log.warn({ error }, 'store.lease-kept'),
    )
    this.#ownFact = undefined
    this.#confirmedAt = -Infinity
  }

  /** Reads the facts. */
  async #read(): Promise<readonly string[]> {
    const rows = await this.#settings.endpoint.select(bind(query, {}))
    return rows.flatMap((row) => row['lease']?.value ?? [])
  }

  /** Sends the update and reads the facts afterwards; rejects as the store does. */
  async #swap(readFacts: readonly string[], next: string | undefined): Promise<readonly string[]> {
    await this.#settings.endpoint.update(swapText(readFacts, next))
    return this.#read()
  }

  /** Takes the lease if no other holder is alive; otherwise reports the holder. Returns `undefined` without the lease. */
  async #poll(onWaiting: LeaseOptions['onWaiting']): Promise<AcquiredLease | undefined> {
    const { now } = this.#settings
    const facts = await this.#read()
    for (const text of this.#unchangedSince.keys())
      if (!facts.includes(text)) this.#unchangedSince.delete(text)
    for (const text of facts)
      if (!this.#unchangedSince.has(text)) this.#unchangedSince.set(text, now())
    const other = facts.find((text) => this.#isAlive(text))
    if (other === undefined) return this.#claim(facts)
    onWaiting(
      `${claimIn(other).holder} writes to the store: this gateway waits until that one stops. A store has one gateway at a time, whatever PLATFORM_SERVICES says.`,
    )
    return undefined
  }

  #isAlive(text: string): boolean {
    const { holder, isPredecessor, now } = this.#settings
    const { holder: other } = claimIn(text)
    if (other === noHolder || other === holder || isPredecessor(other)) return false
    return now() - (this.#unchangedSince.get(text) ?? now()) < this.#times.deadMs
  }

  // In a store without isolation two candidates may both write; the one that sees the other withdraws.
  async #claim(before: readonly string[]): Promise<AcquiredLease | undefined> {
    const { holder, now } = this.#settings
    const token = Math.max(0, ...before.map((text) => claimIn(text).token)) + 1
    const ownFact = textOf({ token, beat: 0, holder })
    const requestedAt = now()
    const after = await this.#swap(before, ownFact)
    if (after.length === 1 && after[0] === ownFact) return { before, ownFact, requestedAt }
    if (after.includes(ownFact)) await this.#swap([ownFact], undefined)
    return undefined
  }

  /** Sends one heartbeat at a time, or tries to regain a lost lease. */
  #sendHeartbeat(): Promise<void> {
    this.#heartbeat ??= (this.#isLost ? this.#regain() : this.#confirm())
      .catch((error: unknown) => this.#settings.log.warn({ error }, 'store.lease-renewal-failed'))
      .finally(() => {
        this.#heartbeat = undefined
      })
    return this.#heartbeat
  }

  /** Takes a lost lease again if no other holder is alive. */
  async #regain(): Promise<void> {
    const { recover } = this.#settings
    const acquired = this.#ending.signal.aborted ? undefined : await this.#poll(() => undefined)
    if (!acquired) return
    this.#ownFact = acquired.ownFact
    await recover?.()
    this.#isLost = false
    // Recovering may have taken long.
    await this.#confirm()
  }

  async #confirm(): Promise<void> {
    if (this.#ownFact === undefined) return
    const { log, now, onRegained } = this.#settings
    const requestedAt = now()
    const claim = claimIn(this.#ownFact)
    const next = textOf({ ...claim, beat: claim.beat + 1 })
    const swapped = await this.#swap([this.#ownFact], next)
    // An emptied store has no fact, and no other holder.
    const facts = swapped.length > 0 ? swapped : await this.#swap([], next)
    if (swapped.length === 0) onRegained?.()
    // An update without an answer may have been written nevertheless.
    const ownFact = facts.find((text) => {
      const { holder, token } = claimIn(text)
      return holder === claim.holder && token === claim.token
    })
    if (ownFact !== undefined) this.#ownFact = ownFact
    if (facts.length === 1 && ownFact === next) this.#confirmedAt = requestedAt
    // At once: what this process knew of the store must not count in the turn in which the lease is held again.
    if (this.#wasLost && this.isHeld) {
      this.#wasLost = false
      log.warn('store.lease-regained')
      onRegained?.()
    }
    if (ownFact !== undefined || facts.length === 0) return
    this.#isLost = true
    this.#wasLost = true
    const others = facts.map((text) => claimIn(text).holder)
    log.error({ holder: others.join() }, 'store.lease-lost')
  }
}
