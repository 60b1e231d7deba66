/** The rules of one robots.txt that concern us. */

import * as parser from 'robots-parser'

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

export type Rules = {
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
