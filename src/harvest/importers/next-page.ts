/** Where the next page is, and whether we may go there. */

import type { Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { fromLines } from '../../rdf/lines.ts'
import { hydra, rdf } from '../../rdf/namespaces.ts'
import type { Statement } from '../../rdf/lines.ts'
import { withoutCredentials } from '../../secrets.ts'
import { shownUrl } from './source.ts'

type From = {
  /** The configured one. */
  readonly address: string
  /** Of the page that links, after redirects. */
  readonly url: string
  readonly brokenHydra: boolean
}

/** The address of the next page. Throws `next-crosses-origin` and `source-malformed`. */
export function nextPage(link: string, { address, url, brokenHydra }: From): string {
  const target = URL.canParse(link, url) ? new URL(link, url) : undefined
  if (!target || !/^https?:$/.test(target.protocol))
    throw new Failure('source-malformed', `The next page is no address: ${link.slice(0, 200)}`)
  const home = new URL(address)
  if (brokenHydra) {
    home.search = target.search
    return home.href
  }
  if (
    target.protocol === 'http:' &&
    home.protocol === 'https:' &&
    target.hostname === home.hostname
  ) {
    target.protocol = 'https:'
  }
  const from = new URL(url)
  if (target.origin === home.origin || target.origin === from.origin) return target.href
  throw new Failure(
    'next-crosses-origin',
    `The next page is on another host (${shownUrl(target.href)}). If that is the inner name of a proxy, set brokenHydra.`,
  )
}

/** The target of `rel="next"` in a `Link` header (RFC 8288). */
export function linkedNext(header: string | null): string | undefined {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(
    /<([^>]*)>((?:\s*;\s*[^\s=;,]+\s*(?:=\s*(?:"[^"]*"|[^",;\s]*))?)*)/g,
  )) {
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)
    const names = (relations?.[1] ?? relations?.[2] ?? '').toLowerCase().split(/\s+/)
    if (names.includes('next')) return target
  }
  return undefined
}

// What a page says about its place in a collection (Hydra), whichever of the spellings in use it chose.

const namespace = hydra('').value
const type = rdf('type').value

/** Members of a collection are told by their types; only what leads onward is kept, and only so much of it. */
const kept = new Set(['next', 'nextPage', 'totalItems', 'view'].map((name) => hydra(name).value))
const mostKept = 1000

type Paging = {
  /** As it stands there: an IRI or a literal, relative or not. */
  readonly next?: string
  readonly total?: number
}

export type HydraReader = {
  /** Whether the statement is about paging and no part of the catalogue. */
  readonly take: (statement: Statement) => boolean
  /** `url`: of the page, without credentials. Throws `source-malformed` when several views contradict each other. */
  readonly paging: (url: string) => Paging
}

type Fact = { readonly subject: string; readonly object: Term }

export function hydraReader(): HydraReader {
  const facts = new Map<string, Fact[]>()
  const of = (...names: string[]) => names.flatMap((name) => facts.get(hydra(name).value) ?? [])
  return {
    take: ({ predicate, object, line }) => {
      if (predicate === type) return object.startsWith(`<${namespace}`)
      if (!predicate.startsWith(namespace)) return false
      const known = facts.get(predicate) ?? []
      facts.set(predicate, known)
      if (kept.has(predicate) && known.length < mostKept) known.push(...factsIn(line))
      return true
    },
    paging: (url) => {
      const next = choice(of('next', 'nextPage'), url, of('view'))
      const total = totalOf(of('totalItems'))
      return { ...(next !== undefined && { next }), ...(total !== undefined && { total }) }
    },
  }
}

const factsIn = (line: string): Fact[] =>
  fromLines(line).map(({ subject, object }) => ({ subject: subject.value, object }))

/** Of several views the one that is this page, else the one that the collection calls its view. */
function choice(links: readonly Fact[], url: string, views: readonly Fact[]): string | undefined {
  const targets = (facts: readonly Fact[]) => [
    ...new Set(facts.map(({ object }) => object.value.trim()).filter((text) => text !== '')),
  ]
  const viewed = new Set(views.map(({ object }) => object.value))
  const ranks = [
    links.length > 0 && targets(links).length === 1 ? links : [],
    links.filter(({ subject }) => withoutCredentials(subject).url === url),
    links.filter(({ subject }) => viewed.has(subject)),
  ]
  const found = ranks.map(targets).find((rank) => rank.length === 1)
  if (found) return found[0]
  if (targets(links).length === 0) return undefined
  throw new Failure('source-malformed', 'The page has several next pages and does not say which.')
}

function totalOf(facts: readonly Fact[]): number | undefined {
  const numbers = facts.map(({ object }) => Number(object.value.trim() || Number.NaN))
  const whole = numbers.filter((number) => Number.isSafeInteger(number) && number >= 0)
  return whole.length === 0 ? undefined : Math.max(...whole)
}
