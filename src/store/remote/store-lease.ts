/** The right to write to a remote store, which one process at a time has: a fact in its system graph. */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import { fact } from '../marks.ts'
import { bind, loadQuery } from '../queries.ts'
import type { StoreEndpoint } from './dialect.ts'
import { type BackgroundLoop, backgroundLoop } from '../../workers/background-loop.ts'
import type { Pause } from '../../workers/pause.ts'
import { retry } from '../../workers/retry.ts'
import { isDoubtful } from './starting.ts'
import { withDefaults } from '../../text/defaults.ts'

export type LeaseOptions = {
  /** This process, in characters of `[\w.:-]`. */
  readonly holder: string
  /** Whether another holder was a process of the same data directory: there is one at a time, so that one has ended. */
  readonly isPredecessor: (holder: string) => boolean
  /** Called before waiting; rejects when this process must not have the store at all. */
  readonly check?: (store: Pick<StoreEndpoint, 'select'>) => Promise<void>
  /** Called when a lease that was lost is held again: others may have written meanwhile. */
  readonly regained?: () => void
  /** Hears for whom is waited, and `undefined` when the lease is held. */
  readonly onWaiting: (detail: string | undefined) => void
  readonly times?: Partial<LeaseTimes>
}

/** In ms. No clocks of two machines are compared: a candidate looks whether the holder's beat moves while its own clock goes. */
type LeaseTimes = {
  /** Between two beats of the holder. */
  readonly beatMs: number
  /** After the last beat that was heard, until which writes are sent without another one. */
  readonly trustedMs: number
  /** Without a beat, after which a candidate takes the lease; longer than `trustedMs` by as long as a write may be on its way. */
  readonly deadMs: number
  /** Between two looks of a candidate. */
  readonly lookMs: number
}

const usualTimes: LeaseTimes = { beatMs: 4000, trustedMs: 9000, deadMs: 15_000, lookMs: 500 }

type Settings = LeaseOptions & {
  readonly endpoint: Pick<StoreEndpoint, 'select' | 'update'>
  readonly pause: Pause
  readonly log: Log
  readonly now: () => number
  readonly random: () => number
  /** What a new holder does before it writes: finishes what the one before has left. */
  readonly recover?: () => Promise<void>
}

/** What the fact says: a number that grows with every holder, one that grows with every beat, and who. */
type Claim = { readonly token: number; readonly beat: number; readonly holder: string }

const subject = 'urn:cartulary:writer'
const nobody = '-'
const query = loadQuery('writer-lease')

const textOf = ({ token, beat, holder }: Claim) => `${token} ${beat} ${holder}`

function claimIn(text: string): Claim {
  const [token, beat, holder = nobody] = text.split(' ')
  return { token: Number(token) || 0, beat: Number(beat) || 0, holder }
}

/** The one operation in which the facts that were seen become another one; it does nothing where they have changed. */
function swapText(seen: readonly string[], next: string | undefined): string {
  const facts = (texts: readonly string[]) =>
    texts.map((text) => fact(subject, 'lease', text)).join(' ')
  const inGraph = (pattern: string) => `GRAPH <${systemGraph}> { ${pattern} }`
  const added = next === undefined ? '' : `INSERT { ${inGraph(facts([next]))} } `
  if (seen.length > 0)
    return `DELETE { ${inGraph(facts(seen))} } ${added}WHERE { ${inGraph(facts(seen))} }`
  const any = `<${subject}> <${ctl('lease').value}> ?any`
  const base = `<${subject}> a <${ctl('Writer').value}>`
  return `INSERT DATA { ${inGraph(base)} } ; ${added}WHERE { ${inGraph(base)} FILTER NOT EXISTS { ${inGraph(any)} } }`
}

/** What was read before, what stands there since, and when that was asked for. */
type Taken = { readonly before: readonly string[]; readonly own: string; readonly began: number }

export class StoreLease {
  readonly #settings: Settings
  readonly #times: LeaseTimes
  readonly #ending = new AbortController()
  /** Facts, and since when each is seen unchanged. */
  readonly #seen = new Map<string, number>()
  /** The fact as it stands there, when it is ours. */
  #own: string | undefined
  #isLost = false
  #heardAt = -Infinity
  #beating: Promise<void> | undefined
  #beats: BackgroundLoop | undefined

  constructor(settings: Settings) {
    this.#settings = settings
    this.#times = withDefaults(usualTimes, settings.times)
  }

  get isHeld(): boolean {
    return !this.#isLost && this.#settings.now() - this.#heardAt < this.#times.trustedMs
  }

  /** Resolves when nobody else writes any more; `true` = somebody did before who has not given the lease up. */
  async take(signal: AbortSignal): Promise<boolean> {
    const { pause, onWaiting, random, log } = this.#settings
    const { lookMs, beatMs } = this.#times
    const look = () =>
      this.#look(onWaiting).catch((error: unknown) => {
        if (!isDoubtful(error)) throw error
        onWaiting(error instanceof Failure ? error.detail : 'The store does not answer.')
        return undefined
      })
    const taken = await retry(look, {
      delayMs: (outcome) =>
        'value' in outcome && !outcome.value ? lookMs * (0.5 + random()) : undefined,
      pause: (ms) => pause(ms, signal),
      signal,
    })
    if (!taken) return false
    onWaiting(undefined)
    this.#own = taken.own
    this.#heardAt = taken.began
    const beat = () => this.#beat()
    this.#beats = backgroundLoop('store.lease-beat-failed', beatMs, beat, { log, pause })
    return taken.before.some((text) => claimIn(text).holder !== nobody)
  }

  /** To be asked for before each write. Rejects with `store-unavailable` when somebody else may have the lease. */
  async demand(): Promise<void> {
    if (this.isHeld) return
    await this.#beat()
    if (this.isHeld) return
    const why = this.#isLost
      ? 'Another gateway writes to this store now. This one goes on when that one has stopped.'
      : 'The store did not confirm that no other gateway writes to it.'
    throw new Failure('store-unavailable', why, { retryAfter: 5 })
  }

  /** Gives it up: the next one takes it at once. */
  async release(): Promise<void> {
    this.#ending.abort()
    await this.#beats?.stop()
    await this.#beating
    if (this.#own === undefined || this.#isLost) return
    const { token } = claimIn(this.#own)
    const given = textOf({ token, beat: 0, holder: nobody })
    await this.#swap([this.#own], given).catch((error: unknown) =>
      this.#settings.log.warn({ error }, 'store.lease-kept'),
    )
    this.#own = undefined
    this.#heardAt = -Infinity
  }

  /** The facts as they stand in the store. */
  async #read(): Promise<readonly string[]> {
    const rows = await this.#settings.endpoint.select(bind(query, {}))
    return rows.flatMap((row) => row['lease']?.value ?? [])
  }

  /** Sends the one operation and reads what came of it; rejects with what the store says. */
  async #swap(seen: readonly string[], next: string | undefined): Promise<readonly string[]> {
    await this.#settings.endpoint.update(swapText(seen, next))
    return this.#read()
  }

  /** One look of a candidate: takes the lease where nobody else is alive, else tells who is. */
  async #look(onWaiting: LeaseOptions['onWaiting']): Promise<Taken | undefined> {
    const { now } = this.#settings
    const found = await this.#read()
    for (const text of this.#seen.keys()) if (!found.includes(text)) this.#seen.delete(text)
    for (const text of found) if (!this.#seen.has(text)) this.#seen.set(text, now())
    const other = found.find((text) => this.#isAlive(text))
    if (other === undefined) return this.#claim(found)
    onWaiting(
      `${claimIn(other).holder} writes to the store: this gateway waits until that one stops. A store has one gateway at a time, whatever PLATFORM_SERVICES says.`,
    )
    return undefined
  }

  #isAlive(text: string): boolean {
    const { holder, isPredecessor, now } = this.#settings
    const { holder: other } = claimIn(text)
    if (other === nobody || other === holder || isPredecessor(other)) return false
    return now() - (this.#seen.get(text) ?? now()) < this.#times.deadMs
  }

  // Of two who meet in a store that does not keep them apart, whoever sees the other withdraws.
  async #claim(before: readonly string[]): Promise<Taken | undefined> {
    const { holder, now } = this.#settings
    const token = Math.max(0, ...before.map((text) => claimIn(text).token)) + 1
    const own = textOf({ token, beat: 0, holder })
    const began = now()
    const after = await this.#swap(before, own)
    if (after.length === 1 && after[0] === own) return { before, own, began }
    if (after.includes(own)) await this.#swap([own], undefined)
    return undefined
  }

  /** One at a time, whoever asks. */
  #beat(): Promise<void> {
    this.#beating ??= (this.#isLost ? this.#regain() : this.#confirm())
      .catch((error: unknown) => this.#settings.log.warn({ error }, 'store.lease-renewal-failed'))
      .finally(() => {
        this.#beating = undefined
      })
    return this.#beating
  }

  /** One look of a holder that has lost the lease; takes it where nobody else is alive. */
  async #regain(): Promise<void> {
    const { log, recover, regained } = this.#settings
    const taken = this.#ending.signal.aborted ? undefined : await this.#look(() => undefined)
    if (!taken) return
    this.#own = taken.own
    await recover?.()
    this.#isLost = false
    // Recovering may have taken long.
    await this.#confirm()
    if (!this.isHeld) return
    log.warn('store.lease-regained')
    regained?.()
  }

  async #confirm(): Promise<void> {
    if (this.#own === undefined) return
    const { log, now } = this.#settings
    const began = now()
    const claim = claimIn(this.#own)
    const next = textOf({ ...claim, beat: claim.beat + 1 })
    const swapped = await this.#swap([this.#own], next)
    // Whoever empties a store takes nobody's place.
    const found = swapped.length > 0 ? swapped : await this.#swap([], next)
    // One of which nothing was heard may have been written all the same.
    const mine = found.find((text) => {
      const { holder, token } = claimIn(text)
      return holder === claim.holder && token === claim.token
    })
    if (mine !== undefined) this.#own = mine
    if (found.length === 1 && mine === next) this.#heardAt = began
    if (mine !== undefined || found.length === 0) return
    this.#isLost = true
    const others = found.map((text) => claimIn(text).holder)
    log.error({ holder: others.join() }, 'store.lease-lost')
  }
}
