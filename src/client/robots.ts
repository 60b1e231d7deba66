/** Whether a host wants its URLs checked: robots.txt (RFC 9309), remembered for a day. */

import * as parser from 'robots-parser'
import { Failure } from '../errors.ts'
import { unlessAborted } from '../workers/abort.ts'
import { hostPermission } from './address-guard.ts'
import type { OutboundLimits } from './deadlines.ts'
import type { Outbound, RobotsWord } from './outbound-request.ts'

type Means = {
  readonly request: Outbound['request']
  /** Ends what is under way for everybody. */
  readonly closing: AbortSignal
  readonly limits: Pick<OutboundLimits, 'robotsCharacters'>
  readonly now: () => number
}

/** Why there are no rules. */
type Absence = Exclude<RobotsWord, 'allowed' | 'disallowed'>

type Known = {
  readonly rules: Promise<Rules | Absence>
  until: number
  characters: number
}

const rememberedMs = 24 * 3_600_000
/** A host that could not tell is asked again after this time. */
const unknownMs = 600_000
/** RFC 9309 2.5: at least 500 KiB are read. */
const readBytes = 500 * 1024
/** What an entry weighs beside its rules. */
const entryCharacters = 500

/** One robots.txt per origin and permission, asked for once even when many want to know. */
export function robotsOf(means: Means): Outbound['robots'] {
  const known = new Map<string, Known>()
  return async (request, signal) => {
    const url = URL.parse(request.url)
    if (!url || !/^https?:$/.test(url.protocol)) return 'refused'
    const { origin } = url
    const name = `${hostPermission(request.reach, url).key} ${origin}`
    const entry =
      fresh(known, name, means.now()) ?? asked({ known, name }, { ...request, origin }, means)
    const rules = await unlessAborted(entry.rules, signal)
    if (typeof rules === 'string') return rules
    return rules.permits(url) ? 'allowed' : 'disallowed'
  }
}

type Asked = Omit<Parameters<Outbound['robots']>[0], 'url'> & { readonly origin: string }

/** Where the word of a host is remembered. */
type Entry = { readonly known: Map<string, Known>; readonly name: string }

function fresh(known: Map<string, Known>, name: string, now: number): Known | undefined {
  const entry = known.get(name)
  return entry && entry.until > now ? entry : undefined
}

function asked({ known, name }: Entry, wish: Asked, means: Means): Known {
  const entry: Known = {
    rules: fetched(wish, means).then((rules) => {
      const isKnown = typeof rules !== 'string'
      entry.until = means.now() + (isKnown ? rememberedMs : unknownMs)
      entry.characters += isKnown ? rules.characters : 0
      forget(known, means.limits.robotsCharacters)
      return rules
    }),
    until: Infinity,
    characters: entryCharacters,
  }
  known.delete(name)
  known.set(name, entry)
  return entry
}

/** Everything that 4xx says is "go ahead"; silence and 5xx say nothing. */
async function fetched({ origin, ...wish }: Asked, means: Means): Promise<Rules | Absence> {
  let isThere = false
  let isElsewhere = false
  try {
    const answer = await means.request(
      {
        ...wish,
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
      means.closing,
    )
    if (answer.status === 200) return await rulesIn(origin, answer.body)
    answer.discard()
    return answer.status >= 400 && answer.status < 500 ? rulesOf(origin, '') : 'unknown'
  } catch (error) {
    if (!(error instanceof Failure)) return 'unknown'
    // Redirects without end lead to no file (RFC 9309 2.3.1.2).
    if (error.kind === 'source-error') return rulesOf(origin, '')
    // What is wrong where a redirect leads to says nothing of the host that was asked.
    return isElsewhere ? 'unknown' : absenceOf(error, isThere)
  }
}

function absenceOf({ kind, retryAfter }: Failure, isThere: boolean): Absence {
  if (kind === 'address-refused' && !isThere) return 'refused'
  if (kind === 'source-unreachable') return 'unreachable'
  // With a time the host was not asked, because it had been silent.
  const isLate = kind === 'source-timeout' && retryAfter === undefined
  return isLate && !isThere ? 'unreachable' : 'unknown'
}

/** A file that breaks off tells nothing: what it forbids may stand in the rest. */
const rulesIn = (origin: string, body: AsyncIterable<Uint8Array>): Promise<Rules | Absence> =>
  beginning(body).then(
    (text) => rulesOf(origin, text),
    () => 'unknown',
  )

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

/** The oldest go first, until the rest fits. */
function forget(known: Map<string, Known>, most: number): void {
  let characters = 0
  for (const entry of known.values()) characters += entry.characters
  for (const [origin, entry] of known) {
    if (characters <= most) return
    if (entry.until === Infinity) continue
    known.delete(origin)
    characters -= entry.characters
  }
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
  const ours: string[] = []
  const everybody: string[] = []
  const agents = new Set<string>()
  const named = { us: false }
  let inAgents = false
  for (const [kind, value] of fieldsOf(text)) {
    if (kind === 'user-agent') {
      if (!inAgents) agents.clear()
      inAgents = true
      const agent = agentOf(value)
      agents.add(agent)
      named.us ||= agent === token
      continue
    }
    inAgents = false
    if (agents.has(token)) ours.push(`${kind}: ${value}`)
    if (agents.has('*')) everybody.push(`${kind}: ${value}`)
  }
  return ['user-agent: *', ...bounded(named.us ? ours : everybody)].join('\n')
}

/** Agents and rules; everything else does not even end a group (RFC 9309 2.2.1). */
function* fieldsOf(text: string): Generator<readonly [kind: string, value: string]> {
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':')
    const kind = line.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (kind !== 'user-agent' && kind !== 'allow' && kind !== 'disallow') continue
    yield [
      kind,
      line
        .slice(colon + 1)
        .split('#', 1)[0]
        ?.trim() ?? '',
    ]
  }
}

/** The product token only: `Cartulary/1.0 (…)` means us too. */
const agentOf = (value: string): string => {
  const name = value.toLowerCase()
  return name === '*' ? name : (/^[a-z_-]+/.exec(name)?.[0] ?? '')
}

function* bounded(rules: readonly string[]): Generator<string> {
  let wildcards = 0
  for (const rule of rules.slice(0, mostRules)) {
    if (rule.length > longestRule) continue
    wildcards += rule.includes('*') ? rule.length : 0
    if (wildcards <= mostWildcards || !rule.includes('*')) yield rule
  }
}
