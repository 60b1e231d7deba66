/** Finds the address of the next page and checks whether it may be requested. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { fromLines, type Statement } from '../../rdf/lines.ts'
import { hydra, rdf } from '../../rdf/namespaces.ts'
import { shownUrl, withoutCredentials } from '../../secrets.ts'

/** Origin of a link, for resolving and checking it. */
type LinkOrigin = {
  /** Configured address. */
  readonly address: string
  /** Address of the page that has the link, after redirects. */
  readonly url: string
  /** Whether links have a wrong host, the inner name of a proxy; then only their query is used. */
  readonly brokenHydra: boolean
}

/**
 * Resolves the link to the next page; `http` at the host of an `https` address becomes `https`. Throws `next-crosses-origin` and
 * `source-malformed`.
 */
export function nextPage(link: string, { address, url, brokenHydra }: LinkOrigin): string {
  const target = URL.parse(link, url)
  if (!target || !/^https?:$/.test(target.protocol))
    throw new Failure(
      'source-malformed',
      `The link to the next page is not a web address: ${link.slice(0, 200)}`,
    )
  const configured = new URL(address)
  if (brokenHydra) {
    configured.search = target.search
    return configured.href
  }
  const isDowngrade = target.protocol === 'http:' && configured.protocol === 'https:'
  if (isDowngrade && target.hostname === configured.hostname) target.protocol = 'https:'
  if (target.origin === configured.origin || target.origin === new URL(url).origin)
    return target.href
  throw new Failure(
    'next-crosses-origin',
    `The next page is on another host (${shownUrl(target.href)}). If that is the inner name of a proxy, set brokenHydra.`,
  )
}

/** Target of `rel="next"` in a `Link` header (RFC 8288). */
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

const namespace = hydra('').value
const type = rdf('type').value

/** Predicates of the statements that `HydraReader` keeps, and the maximum number of statements. */
const pagingPredicates = new Set(
  ['next', 'nextPage', 'totalItems', 'view'].map((name) => hydra(name).value),
)
const mostStatements = 1000

/** Reads the statements about paging on an RDF page, in the spellings of the Hydra vocabulary that are in use. */
export class HydraReader {
  readonly #statements: Quad[] = []

  /** Takes a statement; returns whether it is about paging and not part of the catalogue. */
  take({ predicate, object, line }: Statement): boolean {
    if (predicate === type) return object.startsWith(`<${namespace}`)
    if (pagingPredicates.has(predicate) && this.#statements.length < mostStatements)
      this.#statements.push(...fromLines(line))
    return predicate.startsWith(namespace)
  }

  #withPredicates(...names: string[]): readonly Quad[] {
    const iris = names.map((name) => hydra(name).value)
    return this.#statements.filter(({ predicate }) => iris.includes(predicate.value))
  }

  /** Largest stated number of items. */
  total(): number | undefined {
    const numbers = this.#withPredicates('totalItems').map(({ object }) =>
      Number(object.value.trim() || -1),
    )
    const counts = numbers.filter((number) => Number.isSafeInteger(number) && number >= 0)
    return counts.length === 0 ? undefined : Math.max(...counts)
  }

  /**
   * Link to the next page as written: an IRI or a literal, possibly relative. Of several views, the one of this page (`url`,
   * without credentials), else the view of the collection. Throws `source-malformed` if they conflict.
   */
  next(url: string): string | undefined {
    const links = this.#withPredicates('next', 'nextPage')
    const views = new Set(this.#withPredicates('view').map(({ object }) => object.value))
    const targets = (quads: readonly Quad[]) =>
      new Set(quads.map(({ object }) => object.value.trim()).filter((text) => text !== ''))
    const candidates = [
      links,
      links.filter(({ subject }) => withoutCredentials(subject.value).url === url),
      links.filter(({ subject }) => views.has(subject.value)),
    ].map(targets)
    if (candidates[0]?.size === 0) return undefined
    const [next] = candidates.find(({ size }) => size === 1) ?? []
    if (next !== undefined) return next
    throw new Failure(
      'source-malformed',
      'The page links several next pages and does not say which one follows.',
    )
  }
}
