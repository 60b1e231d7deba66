/** HTML blocks of pages: breadcrumbs, sections, panels, notices, description lists, lists of links, code listings. */

import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, isEmpty } from '../html.ts'

/** Link of the breadcrumbs. */
type Step = { readonly href: string; readonly label: HtmlContent }

/** Breadcrumbs: links to the pages above this one; `false` is left out. */
export const breadcrumbs = ({ t }: PageContext, ...steps: readonly (Step | false)[]): HtmlMarkup =>
  html`<nav class="crumbs" aria-label="${t('breadcrumb')}"><ol role="list">
    ${steps.map((step) => step && html`<li><a href="${step.href}">${step.label}</a></li>`)}</ol></nav>`

/** Panel in the column beside the content. */
export const panel = (heading: string, body: HtmlContent): HtmlMarkup =>
  html`<div class="panel"><h2>${heading}</h2> ${body}</div>`

/** Section with a heading; `id` is that of the heading. */
export const pageSection = (id: string, heading: HtmlContent, body: HtmlContent): HtmlMarkup =>
  html`<section class="section" aria-labelledby="${id}"><h2 id="${id}">${heading}</h2> ${body}</section>`

/** Section with further content, such as a link, beside its heading. */
export const headedSection = (
  id: string,
  heading: HtmlContent,
  beside: HtmlContent,
  body: HtmlContent,
): HtmlMarkup => html`<section class="section" aria-labelledby="${id}">
    <div class="section-head"><h2 id="${id}">${heading}</h2> ${beside}</div> ${body}</section>`

/** Kind of a state → its icon. */
const stateIcons = {
  good: 'circle-check',
  bad: 'circle-x',
  warn: 'triangle-alert',
  idle: 'circle-dashed',
  run: 'refresh-cw',
} as const

/** Kind of a state, which decides its icon and colour. */
export type StateKind = keyof typeof stateIcons

/** Badge with the icon of a state and a text. */
export const stateBadge = (kind: StateKind, text: HtmlContent): HtmlMarkup =>
  html`<span class="state ${kind}">${icon(stateIcons[kind])} ${text}</span>`

/** Box with the icon of a state, a heading and further content. */
export const notice = (
  kind: StateKind,
  heading: HtmlContent,
  body: HtmlContent = false,
): HtmlMarkup =>
  html`<div class="close"><div class="notice ${kind}">${icon(stateIcons[kind])}<div><h2>${heading}</h2>${body}</div></div></div>`

/** Description list (`dl`) of names and values. Rows with an empty value are left out; nothing is written without any row. */
export function pairList(
  rows: readonly (readonly [name: HtmlContent, value: HtmlContent])[],
  style = 'pairs',
): HtmlContent {
  const filled = rows.filter(([, value]) => !isEmpty(value))
  return (
    filled.length > 0 &&
    html`<dl class="${style}">${filled.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
  )
}

type CountedLink = {
  readonly href: string
  readonly label: HtmlContent
  readonly count?: number
}

/** Links in columns, each with its count, if it has one; `kind` is the counted noun, for screen readers. */
export const countedLinks = (
  { formats }: PageContext,
  links: readonly CountedLink[],
  kind: string,
  style = 'index close',
): HtmlMarkup =>
  html`<ul class="${style}" role="list">${links.map(
    ({ href, label, count }) => html`<li><a href="${href}"><span>${label}</span>
      ${count !== undefined && html`<span class="n">${formats.number(count)}<span class="vh"> ${kind}</span></span>`}</a></li>`,
  )}</ul>`

/** Ending of the address of RDF → name of the format and media type. */
export const serialisations = {
  ttl: ['Turtle', 'text/turtle'],
  jsonld: ['JSON-LD', 'application/ld+json'],
  rdf: ['RDF/XML', 'application/rdf+xml'],
  nt: ['N-Triples', 'application/n-triples'],
} as const

/** Links to RDF in some formats; `address` has no ending. */
export const rdfLinks = (
  address: string,
  endings: readonly (keyof typeof serialisations)[] = ['ttl', 'jsonld', 'rdf', 'nt'],
): readonly HtmlMarkup[] =>
  endings.map((ending) => html`<a href="${address}.${ending}">${serialisations[ending][0]}</a>`)

/** Most lines of a listing, and most characters of a line. */
const [mostLines, longestLine] = [2000, 1000]

/**
 * Text with numbered lines from 1, which links reach as `#l{line}`. `hits` are the marked lines, `label` names the text for
 * screen readers.
 */
export function codeListing(label: string, text: string, hits: readonly unknown[]): HtmlMarkup {
  const rows = text.trimEnd().split('\n').slice(0, mostLines)
  const lines = rows.map((row, at) => {
    const style = hits.includes(at + 1) && html` class="hit"`
    return html`<span id="l${at + 1}"${style}>${row.slice(0, longestLine)}</span>`
  })
  return html`<pre class="listing close" tabindex="0" aria-label="${label}"><code>${lines}</code></pre>`
}

/** Links to the page before and the page after; nothing for a list of one page. */
export function pageList(
  { t }: PageContext,
  pathOf: (page: string) => string,
  { page, last }: { readonly page: number; readonly last: number },
): HtmlContent {
  const link = (number: number, rel: string, label: string) =>
    html`<a href="${pathOf(String(number))}" rel="${rel}">${label}</a>`
  return (
    last > 1 &&
    html`<nav class="pages" aria-label="${t('pages')}">${page > 1 && link(page - 1, 'prev', t('previous'))}
    <span aria-current="page">${t('page-n', { page })}</span>${page < last && link(page + 1, 'next', t('next'))}</nav>`
  )
}
