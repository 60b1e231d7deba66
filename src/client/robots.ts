/** Checks URLs against robots.txt (RFC 9309); rules are cached for a day. Used by the URL checks of the metrics service. */

import * as parser from 'robots-parser'
import { Failure } from '../errors.ts'
import { unlessAborted } from '../workers/condition.ts'
import { SingleFlight } from '../workers/single-flight.ts'
import { hostPermission } from './address-guard.ts'
import type { OutboundLimits } from './deadlines.ts'
import type { Outbound, RobotsVerdict } from './outbound-request.ts'
import { dayMs } from '../text/duration.ts'

type RobotsContext = {
  readonly request: Outbound['request']
  /** Aborts pending requests of all callers. */
  readonly closing: AbortSignal
  readonly limits: Pick<OutboundLimits, 'robotsCharacters'>
  readonly now: () => number
}

/** Rules of a host, or the verdict that follows because they cannot be read. */
type Outcome = Rules | Exclude<RobotsVerdict, 'allowed' | 'disallowed'>

/** Time in ms that rules are cached. */
const rulesMs = dayMs
/** Time in ms that a verdict without rules (`unreachable`, `refused`, `unknown`) is cached. */
const unknownMs = 600_000
/** Bytes of robots.txt that are read; the rest is ignored. RFC 9309 2.5 demands at least 500 KiB. */
const readBytes = 500 * 1024
/** Weight of a cache entry in characters, without its rules. */
const entryCharacters = 500

/** Creates the check; one robots.txt per origin and permission, fetched once for parallel callers. */
export function robotsOf(context: RobotsContext): Outbound['robots'] {
  const { limits, now } = context
  const outcomes = new SingleFlight<string, Outcome>({
    cache: 'robots',
    keepMs: (outcome) => (typeof outcome === 'string' ? unknownMs : rulesMs),
    now,
    most: limits.robotsCharacters,
    weigh: (outcome) => entryCharacters + (typeof outcome === 'string' ? 0 : outcome.characters),
  })
  return async (request, signal) => {
    const url = URL.parse(request.url)
    if (!url || !/^https?:$/.test(url.protocol)) return 'refused'
    const name = `${hostPermission(request.reach, url).key} ${url.origin}`
    // Not aborted by the signal of one caller, because others wait for the result.
    const pending = outcomes.get(name, () => fetchRules(request, url.origin, context))
    const outcome = await unlessAborted(pending, signal)
    if (typeof outcome === 'string') return outcome
    return outcome.permits(url) ? 'allowed' : 'disallowed'
  }
}

/**
 * Fetches robots.txt. Status 200 gives its rules, a 4xx status permits everything; any other status and a broken body are
 * `unknown`, a host without a connection `unreachable`, a forbidden address `refused`. Never rejects.
 */
async function fetchRules(
  { reach, globalLimit, deadlines }: Parameters<Outbound['robots']>[0],
  origin: string,
  { request, closing }: RobotsContext,
): Promise<Outcome> {
  let [isConnected, isRedirected] = [false, false]
  try {
    const answer = await request(
      {
        reach,
        globalLimit,
        deadlines,
        url: `${origin}/robots.txt`,
        headers: { accept: 'text/plain' },
        // Longer files are truncated.
        maxBytes: Number.MAX_SAFE_INTEGER,
        attempts: 2,
        retryAfterMaxMs: 30_000,
        delayMs: 1000,
        whenBackedOff: 'fail',
        onConnected: () => void (isConnected = true),
        beforeRedirect: async () => void (isRedirected = true),
      },
      closing,
    )
    // A body that breaks off gives no rules: its missing rest may contain prohibitions.
    if (answer.status === 200) {
      return await readBeginning(answer.body).then(
        (text) => rulesOf(origin, text),
        () => 'unknown' as const,
      )
    }
    answer.discard()
    return answer.status >= 400 && answer.status < 500 ? rulesOf(origin, '') : 'unknown'
  } catch (error) {
    if (!(error instanceof Failure)) return 'unknown'
    const { kind, retryAfter } = error
    // Endless redirects count as a missing file (RFC 9309 2.3.1.2).
    if (kind === 'source-error') return rulesOf(origin, '')
    // Failures of a redirect's target say nothing about the requested host.
    if (isRedirected) return 'unknown'
    if (kind === 'address-refused' && !isConnected) return 'refused'
    // A time-out with `retryAfter` means that the host was not requested.
    const isLate = kind === 'source-timeout' && retryAfter === undefined && !isConnected
    return kind === 'source-unreachable' || isLate ? 'unreachable' : 'unknown'
  }
}

async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    parts.push(part)
    bytes += part.length
    if (bytes >= readBytes) break
  }
  return Buffer.concat(parts).subarray(0, readBytes).toString('utf8')
}

// Parsing of the rules for this client.

/** Corrects the types of the package, whose module object is the function itself. */
type Parse = (
  url: string,
  text: string,
) => { isAllowed(url: string, agent: string): boolean | undefined }

const isParse = (value: unknown): value is Parse => typeof value === 'function'

function parsed(url: string, text: string): ReturnType<Parse> {
  const parse: unknown = parser.default
  if (!isParse(parse)) throw new TypeError('robots-parser is not the function that it was')
  return parse(url, text)
}

type Rules = {
  readonly permits: (url: URL) => boolean
  /** Approximate memory in characters. */
  readonly characters: number
}

/** Product token of this client in `User-agent` lines. */
const token = 'cartulary'

/** Parses the rules for the token `cartulary`, else those for `*`. */
export function rulesOf(origin: string, text: string): Rules {
  const reduced = reduceRules(text)
  const robots = parsed(`${origin}/robots.txt`, reduced)
  return {
    permits: (url) => robots.isAllowed(`${origin}${pathOf(url)}`, token) ?? true,
    characters: reduced.length,
  }
}

/** Maximum path length; longer paths are matched by their beginning, because matching costs path × rule. */
const longestPath = 2048
/** Maximum characters of a rule; longer rules are dropped, and so are those after `mostRules`. */
const longestRule = 1024
const mostRules = 10_000
/** Maximum characters of all rules with wildcards, which cost more than their length; further ones are dropped. */
const mostWildcards = 50_000

const pathOf = (url: URL): string => `${url.pathname}${url.search}`.slice(0, longestPath)

/**
 * Reduces a file to the one group for this client. The parser would store every rule once per agent of its group, which a
 * hostile file could exploit.
 */
function reduceRules(text: string): string {
  const rules: Record<'cartulary' | 'anyAgent', string[]> = { cartulary: [], anyAgent: [] }
  const agents = new Set<string>()
  let hasOwnGroup = false
  let inAgents = false
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    // Other lines do not end a group (RFC 9309 2.2.1).
    const [, field, value = ''] = /^\s*(user-agent|allow|disallow)\s*:\s*([^#]*)/i.exec(line) ?? []
    const kind = field?.toLowerCase()
    if (kind === undefined) continue
    if (kind === 'user-agent') {
      if (!inAgents) agents.clear()
      // Only the product token counts: `Cartulary/1.0 (…)` also means this client.
      const [agent = ''] = /^(?:\*$|[a-z_-]+)/.exec(value.trim().toLowerCase()) ?? []
      agents.add(agent)
      hasOwnGroup ||= agent === token
    } else {
      const rule = `${kind}: ${value.trim()}`
      if (agents.has(token)) rules.cartulary.push(rule)
      if (agents.has('*')) rules.anyAgent.push(rule)
    }
    inAgents = kind === 'user-agent'
  }
  const effective = hasOwnGroup ? rules.cartulary : rules.anyAgent
  return ['user-agent: *', ...boundedRules(effective)].join('\n')
}

function* boundedRules(rules: readonly string[]): Generator<string> {
  let wildcards = 0
  for (const rule of rules.slice(0, mostRules)) {
    if (rule.length > longestRule) continue
    wildcards += rule.includes('*') ? rule.length : 0
    if (wildcards <= mostWildcards || !rule.includes('*')) yield rule
  }
}
