/** What is wrong most often: broken rules, and hosts that do not answer. */

import type { UnreachableHost } from '../../figures/figures.ts'
import { bar } from '../charts/bar.ts'
import type { MeasuredReport, RuleFigure } from '../report.ts'
import { count } from '../telling/numbers.ts'
import { compact, constraintName } from '../telling/names.ts'
import { figureRules } from '../telling/rules.ts'
import { clipped } from '../../localized-texts.ts'
import { markup, type Markup } from './markup.ts'
import { statusName } from './indicators.ts'
import { said, section } from './parts.ts'

export function violations({ violations: rules, indicators }: MeasuredReport): Markup {
  const wasValidated = indicators.some(
    ({ name, share }) => name === 'dcatApCompliance' && share !== null,
  )
  const most = Math.max(1, ...rules.map(({ datasets }) => datasets))
  return section(
    { id: 'violations', title: 'Most frequent violations', rule: figureRules.violations },
    rules.length === 0
      ? markup`<p class="note">${wasValidated ? 'Validation found nothing to complain about.' : 'Nothing was validated: validation is for catalogues that say they are DCAT-AP.'}</p>`
      : markup`
<table>
<caption class="unseen">Rules that are broken most often</caption>
<thead><tr><th scope="col">Property</th><th scope="col">What is wrong</th><th scope="col" class="bars"><span class="unseen">Bar</span></th><th scope="col" class="number">Datasets</th><th scope="col" class="number">Times</th></tr></thead>
<tbody>
${rules.map((rule) => violationRow(rule, most))}</tbody>
</table>`,
  )
}

function violationRow(rule: RuleFigure, most: number): Markup {
  const { path, component, severity, message, datasets, count: times } = rule
  const constraint = component === null ? undefined : constraintName(component)
  const kinds = [severity.toLowerCase(), constraint].filter((kind) => kind !== undefined)
  return markup`<tr><th scope="row">${path === null ? 'the dataset' : markup`<code>${clipped(compact(path), 80)}</code>`}</th><td>${message.text !== '' && said(message, 240)}<span class="rule">${clipped(kinds.join(', '), 80)}</span></td><td>${bar((datasets / most) * 100)}</td><td class="number">${count(datasets)}</td><td class="number">${count(times)}</td></tr>
`
}

export function hosts({ hosts: rows, indicators }: MeasuredReport): Markup {
  const wasAsked = indicators.some(({ codes }) => codes.length > 0)
  const most = Math.max(1, ...rows.map(({ urls }) => urls))
  return section(
    { id: 'hosts', title: 'Broken links by host', rule: figureRules.hosts },
    rows.length === 0
      ? markup`<p class="note">${wasAsked ? 'Every URL that was asked answered.' : 'No URL was asked.'}</p>`
      : markup`
<table>
<caption class="unseen">Hosts with the most broken links</caption>
<thead><tr><th scope="col">Host</th><th scope="col" class="bars"><span class="unseen">Bar</span></th><th scope="col" class="number">URLs</th><th scope="col" class="number">Datasets</th><th scope="col">Mostly</th></tr></thead>
<tbody>
${rows.map((row) => hostRow(row, most))}</tbody>
</table>`,
  )
}

const hostRow = ({ host, urls, datasets, status }: UnreachableHost, most: number): Markup =>
  markup`<tr><th scope="row"><bdi>${host === '' ? 'no host' : clipped(host, 120)}</bdi></th><td>${bar((urls / most) * 100)}</td><td class="number">${count(urls)}</td><td class="number">${count(datasets)}</td><td>${statusName(status)}</td></tr>
`
