/** A report as a page: one document with its style inside, no scripts, nothing from elsewhere, and the policy that keeps it so. */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { clipped } from '../localized-texts.ts'
import { type ReportAddresses, markup, type Markup } from './page-parts.ts'
import type { MeasuredReport, Report } from './report.ts'
import {
  allIndicators,
  catalogues,
  datasets,
  fiveDimensions,
  glance,
  hosts,
  masthead,
  overTime,
  violations,
  worstIndicators,
} from './page-sections.ts'

/** One document, complete in itself. */
export function reportHtml(report: Report, addresses: ReportAddresses): string {
  const { subject, measured } = report
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${clipped(subject.title.text, 160)} – metadata quality</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="text/csv" href="${addresses.form('csv')}">
<link rel="alternate" type="application/json" href="${addresses.form('json')}">
<style>${style}</style>
</head>
<body>
${masthead(report)}
${measured ? contents(report) : undefined}
<main>
${measured ? figures(report, measured) : isOnlyList(report) ? undefined : empty(report)}
${report.catalogues && catalogues(report, report.catalogues, addresses)}
${measured && allIndicators(measured)}
</main>
<footer>
<p>This report as <a href="${addresses.form('csv')}">CSV</a> or <a href="${addresses.form('json')}">JSON</a>${subject.id !== undefined && markup`; <a href="${addresses.portal({ order: 'best', offset: 0, limit: 50 })}">all catalogues</a>`}</p>
</footer>
</body>
</html>
`
  return page.markup
}

const isOnlyList = ({ catalogues: list }: Report): boolean => (list?.page.offset ?? 0) > 0

const figures = (report: Report, measured: MeasuredReport): Markup => markup`
${glance(report, measured)}
${overTime(report, measured)}
${fiveDimensions(measured)}
${worstIndicators(measured)}
${violations(measured)}
${hosts(measured)}
${datasets(report, 'worst', measured.worst)}
${datasets(report, 'best', measured.best)}`

const empty = ({ refreshed }: Report): Markup => markup`
<section>
<p class="note">Nothing has been measured here yet.${!refreshed && ' The figures have never been refreshed.'} Once a metrics run has ended, the figures of this report appear with the next refresh.</p>
</section>`

const contents = ({
  catalogues: list,
}: Report): Markup => markup`<nav class="contents" aria-label="Contents">
<a href="#score">Score</a>
<a href="#over-time">Over time</a>
<a href="#dimensions">Dimensions</a>
<a href="#worst-indicators">Most missing</a>
<a href="#violations">Violations</a>
<a href="#hosts">Broken links</a>
<a href="#worst-datasets">Datasets</a>
${
  list &&
  markup`<a href="#catalogues">Catalogues</a>
`
}<a href="#indicators">Indicators and rules</a>
</nav>`

// The one style of the pages, inside each of them, and the policy that lets nothing else in.

const text = readFileSync(new URL('report.css', import.meta.url), 'utf8')

/** Ours, from disk: no part of it is a text of others. */
const style: Markup = { markup: text }

/** Content Security Policy (level 3): this style and nothing else, no scripts at all. */
export const policy = [
  `default-src 'none'`,
  `style-src 'sha256-${hash('sha256', text, 'base64')}'`,
  `img-src data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')
