/** Whether a host wants its URLs checked: robots.txt (RFC 9309), remembered for a day. */

import * as parser from 'robots-parser'
import { Failure } from '../errors.ts'
import { unlessAborted } from '../workers/condition.ts'
import { SingleFlight } from '../workers/single-flight.ts'
import { hostPermission } from './address-guard.ts'
import type { OutboundLimits } from './deadlines.ts'
import type { Outbound, RobotsWord } from './outbound-request.ts'

type RobotsContext = {
  readonly request: Outbound['request']
  /** Ends what is under way for everybody. */
  readonly closing: AbortSignal
  readonly limits: Pick<OutboundLimits, 'robotsCharacters'>
  readonly now: () => number
}

/** The rules of a host, or why there are none. */
type Outcome = Rules | Exclude<RobotsWord, 'allowed' | 'disallowed'>

const rememberedMs = 24 * 3_600_000
/** A host that could not tell is asked again after this time. */
const unknownMs = 600_000
/** RFC 9309 2.5: at least 500 KiB are read. */
const readBytes = 500 * 1024
/** What an entry weighs beside its rules. */
const entryCharacters = 500

/** One robots.txt per origin and permission, asked for once even when many want to know. */
export function robotsOf(context: RobotsContext): Outbound['robots'] {
  const { limits, now } = context
  const known = new SingleFlight<string, Outcome>({
    cache: 'robots',
    keepMs: (outcome) => (typeof outcome === 'string' ? unknownMs : rememberedMs),
    now,
    most: limits.robotsCharacters,
    weigh: (outcome) => entryCharacters + (typeof outcome === 'string' ? 0 : outcome.characters),
  })
  return async (request, signal) => {
    const url = URL.parse(request.url)
    if (!url || !/^https?:$/.test(url.protocol)) return 'refused'
    const name = `${hostPermission(request.reach, url).key} ${url.origin}`
    // Without the caller's signal: a file is read to its end, for the next one who asks.
    const asked = known.get(name, () => fetched(request, url.origin, context))
    const outcome = await unlessAborted(asked, signal)
    if (typeof outcome === 'string') return outcome
    return outcome.permits(url) ? 'allowed' : 'disallowed'
  }
}

/** Everything that 4xx says is "go ahead"; silence and 5xx say nothing. Never rejects. */
async function fetched(
  { reach, room, deadlines }: Parameters<Outbound['robots']>[0],
  origin: string,
  { request, closing }: RobotsContext,
): Promise<Outcome> {
  let [isThere, isElsewhere] = [false, false]
  try {
    const answer = await request(
      {
        reach,
        ...(room && { room }),
        ...(deadlines && { deadlines }),
        url: `${origin}/robots.txt`,
        headers: { accept: 'text/plain' },
        // Longer files are read to this length and no further.
        maxBytes: Number.MAX_SAFE_INTEGER,
        attempts: 2,
        retryAfterMaxMs: 30_000,
        delayMs: 1000,
        whenLeftAlone: 'fail',
        connected: () => void (isThere = true),
        mayFollow: async () => void (isElsewhere = true),
      },
      closing,
    )
    // A file that breaks off tells nothing: what it forbids may stand in the rest.
    if (answer.status === 200) {
      return await beginning(answer.body).then(
        (text) => rulesOf(origin, text),
        () => 'unknown' as const,
      )
    }
    answer.discard()
    return answer.status >= 400 && answer.status < 500 ? rulesOf(origin, '') : 'unknown'
  } catch (error) {
    if (!(error instanceof Failure)) return 'unknown'
    const { kind, retryAfter } = error
    // Redirects without end lead to no file (RFC 9309 2.3.1.2).
    if (kind === 'source-error') return rulesOf(origin, '')
    // What is wrong where a redirect leads to says nothing of the host that was asked.
    if (isElsewhere) return 'unknown'
    if (kind === 'address-refused' && !isThere) return 'refused'
    // With a time the host was not asked, because it had been silent.
    const isLate = kind === 'source-timeout' && retryAfter === undefined && !isThere
    return kind === 'source-unreachable' || isLate ? 'unreachable' : 'unknown'
  }
}

async function beginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    parts.push(part)
    bytes += part.length
    if (bytes >= readBytes) break
  }
  return Buffer.concat(parts).subarray(0, readBytes).toString('utf8')
}

// The rules of one robots.txt that concern us.

/** The package's types promise a default inside the default; what is there is this function. */
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
  /** How much memory they take, roughly. */
  readonly characters: number
}

const token = 'cartulary'

/** Rules for the token `cartulary`, else for everybody. */
export function rulesOf(origin: string, text: string): Rules {
  const own = concise(text)
  const robots = parsed(`${origin}/robots.txt`, own)
  return {
    permits: (url) => robots.isAllowed(`${origin}${cut(url)}`, token) ?? true,
    characters: own.length,
  }
}

/** Longer paths are judged by their beginning: rules are prefixes, and matching costs path × rule. */
const longestPath = 2048
const longestRule = 1024
const mostRules = 10_000
/** Characters of rules with wildcards: only these cost more than their length. */
const mostWildcards = 50_000

const cut = (url: URL): string => `${url.pathname}${url.search}`.slice(0, longestPath)

/** One group for us. The parser would keep every rule once per agent of its group, which a hostile file can make many. */
function concise(text: string): string {
  const rules: Record<'us' | 'everybody', string[]> = { us: [], everybody: [] }
  const agents = new Set<string>()
  let isNamed = false
  let inAgents = false
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    // Everything else does not even end a group (RFC 9309 2.2.1).
    const [, field, value = ''] = /^\s*(user-agent|allow|disallow)\s*:\s*([^#]*)/i.exec(line) ?? []
    const kind = field?.toLowerCase()
    if (kind === undefined) continue
    if (kind === 'user-agent') {
      if (!inAgents) agents.clear()
      // The product token only: `Cartulary/1.0 (…)` means us too.
      const [agent = ''] = /^(?:\*$|[a-z_-]+)/.exec(value.trim().toLowerCase()) ?? []
      agents.add(agent)
      isNamed ||= agent === token
    } else {
      const rule = `${kind}: ${value.trim()}`
      if (agents.has(token)) rules.us.push(rule)
      if (agents.has('*')) rules.everybody.push(rule)
    }
    inAgents = kind === 'user-agent'
  }
  return ['user-agent: *', ...bounded(isNamed ? rules.us : rules.everybody)].join('\n')
}

function* bounded(rules: readonly string[]): Generator<string> {
  let wildcards = 0
  for (const rule of rules.slice(0, mostRules)) {
    if (rule.length > longestRule) continue
    wildcards += rule.includes('*') ? rule.length : 0
    if (wildcards <= mostWildcards || !rule.includes('*')) yield rule
  }
}
