/**
 * The sections of a page: masthead, score, history, dimensions, indicators, violations, broken links, datasets and catalogues.
 * Each is a heading, the rule of its figures, and a table or a note why there is none.
 */

import { type Dimension, dimensions, isReachable, pseudoCodes } from '../indicators.ts'
import { clipped } from '../localized-texts.ts'
import { bar, lineChart, scale, spark } from './charts.ts'
import {
  compact,
  constraintName,
  count,
  decimal,
  difference,
  dimensionWords,
  figureRules,
  indicatorWords,
  longDay,
  monthOf,
  percent,
} from './indicator-texts.ts'
import {
  bandName,
  dimensionCells,
  dimensionHeads,
  linked,
  markup,
  type Markup,
  named,
  nothing,
  numberCell,
  points,
  type ReportAddresses,
  textMarkup,
  section,
  share,
  htmlTable,
  wide,
} from './page-parts.ts'
import {
  bandOf,
  type CatalogueList,
  type DatasetRow,
  type IndicatorFigure,
  type MeasuredReport,
  type Moment,
  pointsOf,
  rank,
  type Report,
  summary,
} from './report.ts'

/** Whose report it is, and from when. */
export const masthead = ({ subject, refreshed }: Report): Markup => markup`
<header>
<p class="kicker">Metadata quality report</p>
<h1>${textMarkup(subject.title)}</h1>
${subject.description && markup`<p class="about">${textMarkup(subject.description, 300)}</p>`}
${refreshed && markup`<p class="when">As of <time datetime="${refreshed.at.toISOString()}">${longDay(refreshed.at)}</time>, refresh ${refreshed.number}</p>`}
</header>`

/** The score and its band, the summary, and the datasets by band. */
export function glance(report: Report, measured: MeasuredReport): Markup {
  const { score, band, byBand } = measured
  const all = byBand.reduce((sum, { datasets }) => sum + datasets, 0)
  const rows = byBand.toReversed().map((one) => {
    const part = all === 0 ? 0 : (one.datasets / all) * 100
    return markup`<tr><th scope="row">${bandName(report.bands, one.band)}</th><td>${bar(part, `rank-${rank(report.bands, one.band.id)}`)}</td>${numberCell(count(one.datasets))}${numberCell(percent(part))}</tr>\n`
  })
  return markup`
<section id="score" class="glance" aria-labelledby="score-heading">
<h2 id="score-heading">Score</h2>
<p class="score">${score === null ? markup`<span class="none">not scored</span>` : markup`<strong>${count(score)}</strong> <span>of ${count(report.most)} points</span>`} ${band && bandName(report.bands, band)}</p>
<p class="rule">${figureRules.score}</p>
${scale({ ...report, score })}
<div class="two">
<ul class="summary">
${summary(measured).map((sentence) => markup`<li>${sentence}</li>\n`)}</ul>
${htmlTable(markup`<caption>${figureRules.bands}</caption>`, ['Band', 'Bar:bars', 'Datasets:number', 'Share:number'], rows)}
</div>
</section>`
}

/** Rows of the table of the history; the line has all of them. */
const latest = 12

/** The score over time: a line, and the latest of its numbers in a table. */
export function overTime(report: Report, { history }: MeasuredReport): Markup {
  const { bands } = report
  const which = history.length > latest ? `The latest ${latest} of ${history.length}` : 'The'
  const caption = markup`<caption>${which} measurements, with the points of each dimension</caption>`
  const rows = history
    .slice(-latest)
    .toReversed()
    .map(
      ({ day, score, dimensions: scores }) =>
        markup`<tr><th scope="row"><time datetime="${day}">${longDay(day)}</time></th>${dimensionCells(pointsOf(scores))}${numberCell(points(score))}<td>${bandName(bands, bandOf(bands, score))}</td></tr>\n`,
    )
  return section(
    { id: 'over-time', title: 'Score over time', rule: figureRules.history },
    markup`
${lineChart(history, report)}
${history.length === 1 && markup`<p class="note">There is one measurement so far; the line begins with the second.</p>`}
${wide('The latest measurements', htmlTable(caption, ['Day', ...dimensionHeads, 'Score:number', 'Band'], rows))}`,
  )
}

/** How much of each dimension is reached, and how that came about. */
export function fiveDimensions(measured: MeasuredReport): Markup {
  const past = measured.history.length > 1 ? measured.history : []
  const since =
    past[0] &&
    markup`<th scope="col" colspan="2" class="number inner">Since ${monthOf(past[0].day)}</th>`
  return section(
    { id: 'dimensions', title: 'Five dimensions', rule: figureRules.dimensions },
    htmlTable(
      'Points and shares of the five dimensions',
      ['Dimension', 'Bar:bars', 'Share:number', 'Points:number', ...(since ? [since] : [])],
      dimensions.map((name) => dimensionRow(name, measured, past)),
    ),
  )
}

function dimensionRow(
  name: Dimension,
  { dimensions: scores }: MeasuredReport,
  past: readonly Moment[],
): Markup {
  const score = scores[name]
  const reached = score && markup`${points(score.points)}<span class="of"> of ${score.max}</span>`
  const percentage = score?.percentage ?? null
  const shares = past.map((moment) => moment.dimensions[name]?.percentage ?? null)
  const known = shares.filter((one) => one !== null)
  const [first, last] = [known[0], known.at(-1)]
  const change =
    known.length > 1 && first !== undefined && last !== undefined && difference(last - first)
  return markup`<tr>${named(dimensionWords[name])}<td>${bar(percentage)}</td>${numberCell(share(percentage))}${numberCell(reached ?? nothing)}${past.length > 0 && markup`<td class="inner">${spark(shares)}</td><td class="number inner">${change}</td>`}</tr>\n`
}

/** The indicators with most points missing. */
export function worstIndicators({ worstIndicators: figures, indicators }: MeasuredReport): Markup {
  const rows = figures.map(
    ({ name, dimension, share: fulfilled, missing, points: most }) =>
      markup`<tr>${named(indicatorWords[name])}<td class="inner">${dimensionWords[dimension].label}</td><td>${bar(fulfilled)}</td>${numberCell(share(fulfilled))}${numberCell(markup`${decimal(missing)}<span class="of"> of ${most}</span>`)}</tr>\n`,
  )
  return listSection(
    { id: 'worst-indicators', title: 'Where most is missing', rule: figureRules.worstIndicators },
    indicators.some((one) => one.share !== null)
      ? 'Nothing: every indicator that was measured is fulfilled everywhere.'
      : 'No indicator was measured.',
    {
      caption: 'Indicators with the most points missing',
      heads: [
        'Indicator',
        'Dimension:inner',
        'Bar:bars',
        'Fulfilled:number',
        'Points missing:number',
      ],
      rows,
    },
  )
}

/** A section that is one table, or a note where the table would have no rows. */
const listSection = (
  about: Parameters<typeof section>[0],
  note: string,
  { caption, heads, rows }: { caption: string; heads: readonly string[]; rows: readonly Markup[] },
): Markup =>
  section(
    about,
    rows.length === 0 ? markup`<p class="note">${note}</p>` : htmlTable(caption, heads, rows),
  )

/** All indicators with their rules, dimension by dimension. */
export const allIndicators = ({ indicators }: MeasuredReport): Markup => {
  const group = (name: Dimension) => markup`</tbody><tbody>
<tr class="group"><th scope="rowgroup" colspan="4">${dimensionWords[name].label}</th></tr>
${indicators.filter(({ dimension }) => dimension === name).map(indicatorRow)}`
  const heads = ['Indicator', 'Points:number', 'Bar:bars', 'Fulfilled:number']
  return section(
    { id: 'indicators', title: 'Every indicator and its rule', rule: figureRules.indicators },
    markup`<div class="rules">${htmlTable('Indicators by dimension', heads, dimensions.map(group))}</div>`,
  )
}

const indicatorRow = (figure: IndicatorFigure): Markup =>
  markup`<tr>${named(indicatorWords[figure.name])}${numberCell(figure.points)}<td>${bar(figure.share)}${codes(figure)}</td>${numberCell(share(figure.share))}</tr>\n`

/** The most frequent bad answers of URLs that are named. */
const mostCodes = 3

function codes({ codes: shares }: IndicatorFigure): Markup | undefined {
  const bad = shares.filter(({ name }) => !isReachable(Number(name)))
  if (bad.length === 0) return undefined
  const texts = bad
    .slice(0, mostCodes)
    .map((one) => `${statusName(one.name)} ${percent(one.percentage)}`)
  return markup`<span class="rule">${[...texts, ...(bad.length > mostCodes ? ['…'] : [])].join(', ')}</span>`
}

/** A status code, or words in place of a pseudo code. */
function statusName(code: string | number): string {
  if (Number(code) === pseudoCodes.connectionFailure) return 'no connection'
  if (Number(code) === pseudoCodes.invalidUrl) return 'no valid URL'
  return String(code)
}

/** The rules that are broken most often. */
export function violations({ violations: rules, indicators }: MeasuredReport): Markup {
  const wasValidated = indicators.some(
    (one) => one.name === 'dcatApCompliance' && one.share !== null,
  )
  const most = Math.max(1, ...rules.map(({ datasets }) => datasets))
  const rows = rules.map(({ path, component, severity, message, datasets, count: times }) => {
    const property =
      path === null ? 'the dataset' : markup`<code>${clipped(compact(path), 80)}</code>`
    const kinds = [
      severity.toLowerCase(),
      ...(component === null ? [] : [constraintName(component)]),
    ]
    return markup`<tr><th scope="row">${property}</th><td>${message.text !== '' && textMarkup(message, 240)}<span class="rule">${clipped(kinds.join(', '), 80)}</span></td><td>${bar((datasets / most) * 100)}</td>${numberCell(count(datasets))}${numberCell(count(times))}</tr>\n`
  })
  return listSection(
    { id: 'violations', title: 'Most frequent violations', rule: figureRules.violations },
    wasValidated
      ? 'Validation found nothing to complain about.'
      : 'Nothing was validated: validation is for catalogues that say they are DCAT-AP.',
    {
      caption: 'Rules that are broken most often',
      heads: ['Property', 'What is wrong', 'Bar:bars', 'Datasets:number', 'Times:number'],
      rows,
    },
  )
}

/** The hosts with most URLs that do not answer. */
export function hosts({ hosts: found, indicators }: MeasuredReport): Markup {
  const most = Math.max(1, ...found.map(({ urls }) => urls))
  const rows = found.map(
    ({ host, urls, datasets, status }) =>
      markup`<tr><th scope="row"><bdi>${host === '' ? 'no host' : clipped(host, 120)}</bdi></th><td>${bar((urls / most) * 100)}</td>${numberCell(count(urls))}${numberCell(count(datasets))}<td>${statusName(status)}</td></tr>\n`,
  )
  return listSection(
    { id: 'hosts', title: 'Broken links by host', rule: figureRules.hosts },
    indicators.some((one) => one.codes.length > 0)
      ? 'Every URL that was asked answered.'
      : 'No URL was asked.',
    {
      caption: 'Hosts with the most broken links',
      heads: ['Host', 'Bar:bars', 'URLs:number', 'Datasets:number', 'Mostly'],
      rows,
    },
  )
}

/** The datasets at one end. */
export function datasets(
  { subject, bands }: Report,
  end: 'worst' | 'best',
  found: readonly DatasetRow[],
): Markup {
  const title = `Datasets with the ${end === 'worst' ? 'lowest' : 'highest'} scores`
  const isPortal = subject.id === undefined
  const heads = ['Dataset', ...(isPortal ? ['Catalogue'] : []), ...dimensionHeads, 'Score:number']
  const rows = found.map(
    (row) =>
      markup`<tr><th scope="row">${linked(row.iri, textMarkup(row.title))}</th>${isPortal && markup`<td>${textMarkup({ text: row.catalogue }, 60)}</td>`}${dimensionCells(row.points)}${numberCell(points(row.score))}<td>${bandName(bands, row.band)}</td></tr>\n`,
  )
  return section(
    { id: `${end}-datasets`, title, rule: figureRules[end] },
    rows.length === 0
      ? markup`<p class="note">No dataset has a score.</p>`
      : wide(title, htmlTable(title, [...heads, 'Band'], rows)),
  )
}

/** The catalogues of the portal by their scores, page by page. */
export function catalogues(
  { bands }: Report,
  list: CatalogueList,
  addresses: ReportAddresses,
): Markup {
  const { page, order, count: all } = list
  const [first, last] = [page.offset + 1, page.offset + list.rows.length]
  const rows = list.rows.map(
    (row) =>
      markup`<tr><th scope="row"><a href="${addresses.catalogue(row.id)}">${textMarkup(row.title)}</a></th>${dimensionCells(row.points)}${numberCell(count(row.datasets))}${numberCell(points(row.score))}<td>${bandName(bands, row.band)}</td></tr>\n`,
  )
  const heads = ['Catalogue', ...dimensionHeads, 'Datasets:number', 'Score:number', 'Band']
  const which =
    rows.length === 0
      ? `There are ${count(all)}.`
      : `${count(first)} to ${count(last)} of ${count(all)}, ${order === 'best' ? 'the highest score first' : 'the lowest score first'}.`
  return section(
    { id: 'catalogues', title: 'Catalogues', rule: `${figureRules.catalogues} ${which}` },
    markup`
${rows.length > 0 && wide('Catalogues by score', htmlTable('Catalogues by score', heads, rows))}
${pages(list, addresses)}`,
  )
}

function pages({ count: all, page, order }: CatalogueList, addresses: ReportAddresses): Markup {
  const { offset, limit } = page
  const link = (text: string, start: number, isThere: boolean, other = order) =>
    isThere &&
    markup`<a href="${addresses.portal({ order: other, offset: start, limit })}">${text}</a>\n`
  const [turned, name] =
    order === 'best'
      ? (['worst', 'Lowest score first'] as const)
      : (['best', 'Highest score first'] as const)
  return markup`<nav class="pages" aria-label="Pages of the list of catalogues">
${link('First', 0, offset > 0)}${link('Previous', Math.max(0, offset - limit), offset > 0)}${link('Next', offset + limit, offset + limit < all)}${link(name, 0, all > 1, turned)}
</nav>`
}
