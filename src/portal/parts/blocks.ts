/** Blocks that pages are put together from: sections, panels, notices, lists of pairs, of links and of counts. */

import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, isEmpty } from '../html.ts'

type Step = { readonly href: string; readonly label: HtmlContent }

/** Steps above the page; those that there are not are left out. */
export const breadcrumbs = ({ t }: PageContext, ...steps: readonly (Step | false)[]): HtmlMarkup =>
  html`<nav class="crumbs" aria-label="${t('breadcrumb')}"><ol role="list">
    ${steps.map((step) => step && html`<li><a href="${step.href}">${step.label}</a></li>`)}</ol></nav>`

/** A part of the column beside the content. */
export const panel = (heading: string, body: HtmlContent): HtmlMarkup =>
  html`<div class="panel"><h2>${heading}</h2> ${body}</div>`

/** A section with its heading. */
export const pageSection = (id: string, heading: HtmlContent, body: HtmlContent): HtmlMarkup =>
  html`<section class="section" aria-labelledby="${id}"><h2 id="${id}">${heading}</h2> ${body}</section>`

/** A section whose heading has something beside it: a link to more of it. */
export const headedSection = (
  id: string,
  heading: HtmlContent,
  beside: HtmlContent,
  body: HtmlContent,
): HtmlMarkup => html`<section class="section" aria-labelledby="${id}">
    <div class="section-head"><h2 id="${id}">${heading}</h2> ${beside}</div> ${body}</section>`

const stateIcons = {
  good: 'circle-check',
  bad: 'circle-x',
  warn: 'triangle-alert',
  idle: 'circle-dashed',
  run: 'refresh-cw',
} as const

/** How something stands; never shown by its colour alone. */
export type StateKind = keyof typeof stateIcons

/** A state in a word. */
export const stateBadge = (sign: StateKind, text: HtmlContent): HtmlMarkup =>
  html`<span class="state ${sign}">${icon(stateIcons[sign])} ${text}</span>`

/** A box with a sign, a heading and what follows from it. */
export const notice = (
  sign: StateKind,
  heading: HtmlContent,
  body: HtmlContent = false,
): HtmlMarkup =>
  html`<div class="close"><div class="notice ${sign}">${icon(stateIcons[sign])}<div><h2>${heading}</h2>${body}</div></div></div>`

/** Names and values; a row without a value is left out, and the list where no row is left. */
export function pairList(
  rows: readonly (readonly [name: HtmlContent, value: HtmlContent])[],
  style = 'pairs',
): HtmlContent {
  const shown = rows.filter(([, value]) => !isEmpty(value))
  return (
    shown.length > 0 &&
    html`<dl class="${style}">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
  )
}

type CountedLink = {
  readonly href: string
  readonly label: HtmlContent
  readonly count?: number
}

/** Links in columns, each with how many things of a kind it leads to. */
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

/** Ending of an address → what it leads to, and its media type. */
export const serialisations = {
  ttl: ['Turtle', 'text/turtle'],
  jsonld: ['JSON-LD', 'application/ld+json'],
  rdf: ['RDF/XML', 'application/rdf+xml'],
  nt: ['N-Triples', 'application/n-triples'],
} as const

/** Links to RDF at an address without its ending, in each of its formats. */
export const rdfLinks = (
  address: string,
  endings: readonly (keyof typeof serialisations)[] = ['ttl', 'jsonld', 'rdf', 'nt'],
): readonly HtmlMarkup[] =>
  endings.map((ending) => html`<a href="${address}.${ending}">${serialisations[ending][0]}</a>`)

/** Lines at most, and characters of each. */
const [mostLines, longestLine] = [2000, 1000]

/** A text with numbered lines, some of which are marked. `label` says what it is; lines are counted from 1 and can be led to by `#l{line}`. */
export function codeListing(label: string, text: string, hits: readonly unknown[]): HtmlMarkup {
  const rows = text.trimEnd().split('\n').slice(0, mostLines)
  const lines = rows.map((row, at) => {
    const style = hits.includes(at + 1) && html` class="hit"`
    return html`<span id="l${at + 1}"${style}>${row.slice(0, longestLine)}</span>`
  })
  return html`<pre class="listing close" tabindex="0" aria-label="${label}"><code>${lines}</code></pre>`
}
