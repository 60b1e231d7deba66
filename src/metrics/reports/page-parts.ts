/** Markup that cannot be forged, and the small things that many sections of a page show. */

import { pathOf } from '../../http/context.ts'
import { escaped } from '../../text/escaped.ts'
import { type Dimension, dimensions } from '../indicators.ts'
import { clipped, type LocalText } from '../localized-texts.ts'
import type { Band } from '../../search-index/index-settings.ts'
import { type RankOrder, type Points, rank } from './report.ts'
import { decimal, dimensionWords, percent } from './indicator-texts.ts'

// Markup that cannot be forged: values in a template are text unless they are markup themselves.

export type Markup = { readonly markup: string }

type Part = Markup | readonly Markup[] | string | number | undefined | false

/**
 * `` markup`<p>${title}</p>` ``: texts and numbers are escaped, for elements and for quoted attributes; absent parts leave nothing.
 * It is not called `html`: formatters would put blanks into such templates, and a style with blanks has another hash.
 */
export function markup(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const inner = pieces.map((piece, place) => piece + markupOf(parts[place]))
  return { markup: inner.join('') }
}

function markupOf(part: Part): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string') return escaped(part)
  if (typeof part === 'number') return String(part)
  if ('markup' in part) return part.markup
  return part.map(({ markup }) => markup).join('')
}

/** Characters of a title in a row. */
const longest = 160

/** In a direction of its own, and in its own language when that is not the page's. */
export const textMarkup = ({ text, language }: LocalText, most = longest): Markup =>
  language === undefined || language === 'en'
    ? markup`<bdi>${clipped(text, most)}</bdi>`
    : markup`<bdi lang="${language}">${clipped(text, most)}</bdi>`

/** Characters of an address; no server takes longer ones. */
const longestAddress = 4096

/** A link where the address is one of the web, else the text alone. */
export const linked = (address: string, text: Markup): Markup =>
  isWeb(address) ? markup`<a href="${address}">${text}</a>` : text

function isWeb(address: string): boolean {
  if (address.length > longestAddress) return false
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
}

/** In the place of a figure that there is not. */
export const nothing = markup`<span class="none">not measured</span>`

/** A percentage, or that there is none. */
export const share = (percentage: number | null): Markup =>
  percentage === null ? nothing : markup`${percent(percentage)}`

/** A dot in the colour of the band, and its name. */
export const bandName = (bands: readonly Band[], band: Band | undefined): Markup =>
  band === undefined
    ? nothing
    : markup`<span class="band"><svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle class="rank-${rank(bands, band.id)}" cx="5" cy="5" r="5"/></svg>${band.title}</span>`

/** Whole points, or with one decimal where they are a mean. */
export const points = (value: number | null): Markup =>
  value === null
    ? markup`<span class="none">–</span>`
    : markup`${Number.isInteger(value) ? value : decimal(value)}`

/** One section: its heading, the rule of its figures, and what it shows. */
export const section = (
  { id, title, rule }: { readonly id: string; readonly title: string; readonly rule: string },
  content: Markup | readonly Markup[],
): Markup => markup`
<section id="${id}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading">${title}</h2>
<p class="rule">${rule}</p>
${content}
</section>`

/** The head of a row: what it is called, and its rule below. */
export const named = ({ label, rule }: { readonly label: string; readonly rule: string }): Markup =>
  markup`<th scope="row"><strong>${label}</strong><span class="rule">${rule}</span></th>`

/** A cell with a number, or with a note that there is none. */
export const numberCell = (content: Markup | string | number): Markup =>
  markup`<td class="number">${content}</td>`

/** `title`, or `title:class`. What is above bars is read aloud, and not shown. */
function headCell(column: Markup | string): Markup {
  if (typeof column !== 'string') return column
  const [title = '', kind] = column.split(':')
  if (kind === undefined) return markup`<th scope="col">${title}</th>`
  const text = kind === 'bars' ? markup`<span class="unseen">${title}</span>` : title
  return markup`<th scope="col" class="${kind}">${text}</th>`
}

/** A caption that is text is for readers of screens only. */
export const htmlTable = (
  caption: Markup | string,
  heads: readonly (Markup | string)[],
  rows: readonly Markup[],
): Markup => markup`
<table>
${typeof caption === 'string' ? markup`<caption class="unseen">${caption}</caption>` : caption}
<thead><tr>${heads.map(headCell)}</tr></thead>
<tbody>
${rows}</tbody>
</table>`

/** Wide things scroll by themselves on narrow screens, with the keyboard too. */
export const wide = (name: string, content: Markup): Markup =>
  markup`<div class="wide" role="group" aria-label="${name}" tabindex="0">${content}</div>`

// The points of the five dimensions as cells of a row.

/** Five whole words would be wider than what they stand above. */
const short: Readonly<Record<Dimension, string>> = {
  findability: 'Find',
  accessibility: 'Access',
  interoperability: 'Interop',
  reusability: 'Reuse',
  contextuality: 'Context',
}

export const dimensionHeads: readonly Markup[] = dimensions.map(
  (name) =>
    markup`<th scope="col" class="number"><abbr title="${dimensionWords[name].label}">${short[name]}</abbr></th>`,
)

export const dimensionCells = (values: Points): readonly Markup[] =>
  dimensions.map((name) => numberCell(points(values[name])))

export type ReportForm = 'html' | 'csv' | 'json'

/** Where the reports are, seen from one of them: relative, so that they work behind any proxy path. */
export type ReportAddresses = {
  /** This report in another form, the same part of it. */
  readonly form: (form: ReportForm) => string
  readonly catalogue: (id: string) => string
  readonly portal: (part: {
    readonly order: RankOrder
    readonly offset: number
    readonly limit: number
  }) => string
}

/** `own` is the path of the report below the service, without a suffix: `/catalogues/city`. */
export function addressesFrom(
  url: string,
  { own, locale }: { readonly own: string; readonly locale: string },
): ReportAddresses {
  const steps = own.split('/').length - 2 + (pathOf(url).endsWith('/') ? 1 : 0)
  const root = steps === 0 ? './' : '../'.repeat(steps)
  const language = locale === 'en' ? {} : { locale }
  const { search } = new URL(url)
  return {
    form: (form) =>
      `${root}${own.slice(1).split('/').map(encodeURIComponent).join('/')}.${form}${search}`,
    catalogue: (id) => `${root}catalogues/${encodeURIComponent(id)}.html${query(language)}`,
    portal: ({ order, offset, limit }) =>
      `${root}portal.html${query({
        ...language,
        ...(order !== 'best' && { order }),
        ...(offset !== 0 && { offset: String(offset) }),
        limit: String(limit),
      })}#catalogues`,
  }
}

function query(parameters: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(parameters).toString()
  return text === '' ? '' : `?${text}`
}
