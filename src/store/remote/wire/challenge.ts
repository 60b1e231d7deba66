/** What a server says about the authentication it wants: `WWW-Authenticate` (RFC 9110, 11.6.1). */

/** One way to authenticate. Scheme and parameter names are in lower case, values as they were meant. */
export type Challenge = {
  readonly scheme: string
  readonly parameters: ReadonlyMap<string, string>
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const gap = /[\t ,]*/y
const parameter = new RegExp(`(${token})[\\t ]*=[\\t ]*(?:(${token})|"((?:[^"\\\\]|\\\\.)*)")`, 'y')
const scheme = new RegExp(`(${token})(?:[\\t ]+[A-Za-z0-9._~+/-]+=*(?=[\\t ]*(?:,|$)))?`, 'y')

/** All challenges of a header, or of several that were joined by commas. What cannot be understood ends the list. */
export function challengesIn(header: string): Challenge[] {
  const found: { scheme: string; parameters: Map<string, string> }[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match) at = pattern.lastIndex
    return match
  }
  while (at < header.length) {
    take(gap)
    const last = found.at(-1)
    const pair = last && take(parameter)
    if (pair) last.parameters.set((pair[1] ?? '').toLowerCase(), pair[2] ?? unquoted(pair[3] ?? ''))
    else {
      const next = take(scheme)
      if (!next) break
      found.push({ scheme: (next[1] ?? '').toLowerCase(), parameters: new Map() })
    }
  }
  return found
}

const unquoted = (text: string): string => text.replace(/\\(.)/gs, '$1')
