/** A report as a page: one document with its style inside, no scripts, nothing from elsewhere, and the policy that keeps it so. */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { html as markup, raw } from 'hono/html'
import { pathOf } from '../../http/context.ts'
import { clipped, type LocalText } from '../localized-texts.ts'
import { lineChart } from './line-chart.ts'
import {
  type CatalogueList,
  type MeasuredReport,
  rank,
  type RankOrder,
  type Report,
} from './report.ts'
import {
  catalogueTable,
  type Figure,
  type FigureRow,
  type FigureTable,
  type FigureValue,
  measuredTables,
} from './report-tables.ts'
import { type ReportWords, textParts, wordsFor } from './report-words.ts'

// It is not called `html`, because formatters would put blanks into such templates: the hash of the style is of its text.
type Markup = ReturnType<typeof markup>

/** Ours, from disk: no part of it is a text of others. */
const style = readFileSync(new URL('report.css', import.meta.url), 'utf8')

/** Colours of links and lines, as `#rrggbb`; those of the style where they are absent. */
export type ReportAccents = {
  readonly accent?: string | undefined
  /** On dark paper. */
  readonly accentDark?: string | undefined
}

export type ReportLook = {
  readonly style: string
  /** Content Security Policy (level 3): this style and nothing else, no scripts at all. */
  readonly policy: string
}

/** The style of the reports in the colours of a portal. */
export function reportLook({ accent, accentDark }: ReportAccents): ReportLook {
  const light = accent === undefined ? '' : `:root{--accent:${accent}}`
  const dark = accentDark ?? accent
  const night =
    dark === undefined
      ? ''
      : `@media screen and (prefers-color-scheme:dark){:root{--accent:${dark}}}`
  const whole = style + light + night
  return {
    style: whole,
    policy: [
      `default-src 'none'`,
      `style-src 'sha256-${hash('sha256', whole, 'base64')}'`,
      `img-src data:`,
      `base-uri 'none'`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
    ].join('; '),
  }
}

/** All that the parts of one page share. */
type PageContext = Pick<Report, 'bands' | 'most'> & {
  readonly words: ReportWords
  readonly addresses: ReportAddresses
}

/** One document, complete in itself; in English where there are no texts in the language of its titles. */
export function reportHtml(report: Report, addresses: ReportAddresses, look: ReportLook): Markup {
  const { subject, refreshed, measured, catalogues: list, bands, most } = report
  const words = wordsFor(report.locale)
  const context = { words, addresses, bands, most }
  const isOnlyList = (list?.page.offset ?? 0) > 0
  return markup`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${clipped(subject.title.text, 160)} – ${words.page.title}${subject.id !== undefined && ` – ${report.site}`}</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="text/csv" href="${addresses.form('csv')}">
<link rel="alternate" type="application/json" href="${addresses.form('json')}">
<style>${raw(look.style)}</style>
</head>
<body>
<header>
<p class="kicker">${words.page.kicker}</p>
<h1>${textMarkup(subject.title, words)}</h1>
${subject.description && markup`<p class="about">${textMarkup(subject.description, words, 300)}</p>`}
${refreshed && markup`<p class="when">${textParts<Markup | number>(words.page.asOf, { day: markup`<time datetime="${refreshed.at.toISOString()}">${words.longDay(refreshed.at)}</time>`, number: refreshed.number })}</p>`}
</header>
<main>
${measured ? figures(measured, context) : !isOnlyList && empty(report, words)}
${list && catalogues(list, context)}
</main>
<footer>
<p>${textParts(words.page.forms, { csv: markup`<a href="${addresses.form('csv')}">CSV</a>`, json: markup`<a href="${addresses.form('json')}">JSON</a>` })}${subject.id !== undefined && markup`; <a href="${addresses.portal({ order: 'best', offset: 0, limit: 50 })}">${words.page.allCatalogues}</a>`}</p>
</footer>
</body>
</html>
`
}

const empty = ({ refreshed }: Report, { notes }: ReportWords): Markup => markup`
<section>
<p class="note">${notes.empty}${!refreshed && ` ${notes.neverRefreshed}`} ${notes.afterRun}</p>
</section>`

/** Rows of the table of the history; the line has all of them. */
const latest = 12

function figures(measured: MeasuredReport, context: PageContext): readonly Markup[] {
  const { bands, most, words } = context
  const { count, counted, counts } = words
  const { score, band, datasets, all, distributions, history } = measured
  const points = markup`<strong>${count(score ?? 0)}</strong> <span>${textParts(words.page.ofPoints, { most: count(most) })}</span>`
  const scored = markup`<p class="score">${score === null ? markup`<span class="none">${words.page.notScored}</span>` : points} ${band && bandName(band.id, context)}</p>
<p>${counted(datasets, counts.measured, { all: counted(all, counts.datasets), distributions: counted(distributions, counts.distributions) })}</p>`
  const tables = measuredTables(measured, words).map((one) => {
    if (one.id !== 'over-time') return section(one, tableOf(one, context))
    const shown = { ...one, rows: one.rows.slice(-latest).toReversed() }
    return section(
      one,
      markup`${lineChart(history, { bands, most, words })}
<p class="rule">${counted(history.length, history.length > latest ? counts.latest : counts.measurements, { latest: count(latest) })}</p>
${tableOf(shown, context)}`,
    )
  })
  const { headings, figures: rules } = words
  return [section({ id: 'score', heading: headings.score, rule: rules.score }, scored), ...tables]
}

/** A heading, the rule of the figures, and what shows them. */
const section = (
  { id, heading, rule }: Pick<FigureTable, 'id' | 'heading' | 'rule'>,
  content: Markup,
): Markup => markup`
<section id="${id}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading">${heading}</h2>
<p class="rule">${rule}</p>
${content}
</section>`

/** Wide tables scroll by themselves on narrow screens, with the keyboard too. */
function tableOf(
  { heading, figures: columns, rows, note = '' }: FigureTable,
  context: PageContext,
): Markup {
  if (rows.length === 0) return markup`<p class="note">${note}</p>`
  const head = columns.map(
    ([, label, unit]) => markup`<th scope="col" class="${unit ?? 'number'}">${label}</th>`,
  )
  const body = rows.map(
    (row) =>
      markup`<tr><th scope="row">${rowHead(row, context)}</th>${row.values.map((value, at) => cell(value, columns[at], context))}</tr>\n`,
  )
  return markup`<div class="wide" role="group" aria-label="${heading}" tabindex="0"><table>
<thead><tr><th scope="col"><span class="unseen">${context.words.columns.name}</span></th>${head}</tr></thead>
<tbody>
${body}</tbody>
</table></div>`
}

/** Characters of an address; no server takes longer ones. */
const longestAddress = 4096

/** The title, with a link where there is an address of the web, and what stands below it. */
function rowHead(
  { title, shown, below, link }: FigureRow,
  { words, addresses }: PageContext,
): Markup {
  const name = shown === undefined ? textMarkup(title, words) : markup`<bdi>${shown}</bdi>`
  const isWeb = (address: string) =>
    address.length <= longestAddress && /^https?:$/.test(URL.parse(address)?.protocol ?? '')
  const href = link && ('catalogue' in link ? addresses.catalogue(link.catalogue) : link.address)
  const isLink = href !== undefined && (link && 'catalogue' in link ? true : isWeb(href))
  return markup`${isLink ? markup`<a href="${href}">${name}</a>` : name}${below && markup`<span class="rule">${below}</span>`}`
}

function cell(value: FigureValue, figure: Figure | undefined, context: PageContext): Markup {
  const { count, decimal, page, percent, statusName } = context.words
  const unit = figure?.[2]
  if (unit === 'band') return markup`<td>${value !== null && bandName(String(value), context)}</td>`
  if (unit === 'status') return markup`<td>${statusName(value ?? '')}</td>`
  if (unit === 'percent')
    return markup`<td class="percent">${value === null ? markup`<span class="none">${page.notMeasured}</span>` : markup`${bar(Number(value))}${percent(Number(value))}`}</td>`
  const number = Number.isInteger(value) ? count(Number(value)) : decimal(Number(value))
  return markup`<td class="number">${value === null ? markup`<span class="none">–</span>` : number}</td>`
}

/** Fills as much of its track as a share is. The number is beside it, so readers of screens pass it over. */
const bar = (percentage: number): Markup =>
  markup`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="accent" width="${Math.min(100, Math.max(0, percentage))}" height="8"/></svg>`

/** A dot in the colour of the band, and its name. */
function bandName(id: string, { bands, words }: PageContext): Markup {
  const band = bands.find((one) => one.id === id)
  return markup`<span class="band"><svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle class="rank-${rank(bands, id)}" cx="5" cy="5" r="5"/></svg>${band && words.bandTitle(band)}</span>`
}

/** In a direction of its own, and in its own language when that is not the page's. */
const textMarkup = ({ text, language }: LocalText, words: ReportWords, most = 160): Markup =>
  language === undefined || language === words.language
    ? markup`<bdi>${clipped(text, most)}</bdi>`
    : markup`<bdi lang="${language}">${clipped(text, most)}</bdi>`

/** The catalogues of the portal by their scores, page by page. */
function catalogues(list: CatalogueList, context: PageContext): Markup {
  const { page, order, count: all, rows } = list
  const { list: texts, count } = context.words
  const which = textParts(rows.length === 0 ? texts.none : texts[order], {
    first: count(page.offset + 1),
    last: count(page.offset + rows.length),
    all: count(all),
  })
  const table = catalogueTable(list, context.words)
  const rule = `${table.rule} ${which.join('')}`
  return section(
    { ...table, rule },
    markup`${rows.length > 0 && tableOf(table, context)}${pages(list, context)}`,
  )
}

function pages(
  { count: all, page, order }: CatalogueList,
  { addresses, words: { list } }: PageContext,
): Markup {
  const { offset, limit } = page
  const link = (text: string, start: number, isThere: boolean, other = order) =>
    isThere &&
    markup`<a href="${addresses.portal({ order: other, offset: start, limit })}">${text}</a>\n`
  const turned = order === 'best' ? 'worst' : 'best'
  const name = order === 'best' ? list.worstFirst : list.bestFirst
  return markup`<nav class="pages" aria-label="${list.pages}">
${link(list.first, 0, offset > 0)}${link(list.previous, Math.max(0, offset - limit), offset > 0)}${link(list.next, offset + limit, offset + limit < all)}${link(name, 0, all > 1, turned)}
</nav>`
}

/** What a report can be answered as; also the suffix of its address. */
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

/** `own` is the path of the report below the service, without a suffix: `/catalogues/city`; `locale` is what links have to name. */
export function addressesFrom(
  url: string,
  { own, locale }: { readonly own: string; readonly locale?: string | undefined },
): ReportAddresses {
  const steps = own.split('/').length - 2 + (pathOf(url).endsWith('/') ? 1 : 0)
  const root = steps === 0 ? './' : '../'.repeat(steps)
  const language = locale === undefined ? {} : { locale }
  const given = new URL(url).searchParams
  if (locale !== undefined) given.set('locale', locale)
  const query = (parameters: Readonly<Record<string, string>>) => {
    const text = new URLSearchParams({ ...language, ...parameters }).toString()
    return text === '' ? '' : `?${text}`
  }
  const path = own.slice(1).split('/').map(encodeURIComponent).join('/')
  return {
    form: (form) => `${root}${path}.${form}${given.size === 0 ? '' : `?${given.toString()}`}`,
    catalogue: (id) => `${root}catalogues/${encodeURIComponent(id)}.html${query({})}`,
    portal: ({ order, offset, limit }) =>
      `${root}portal.html${query({
        ...(order !== 'best' && { order }),
        ...(offset !== 0 && { offset: String(offset) }),
        limit: String(limit),
      })}#catalogues`,
  }
}
