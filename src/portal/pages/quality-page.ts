/** Page about the metadata quality of a dataset, with its most important corrections; who may change it gets links to the fields. */

import { type Fields, textAt, valueAt } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { linkIf } from '../desk/desk-lists.ts'
import { type FieldLinks, fieldLinks } from '../desk/field-links.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, joinHtml } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { breadcrumbs, pageSection } from '../parts/blocks.ts'
import {
  leftOutTable,
  resultCounts,
  type ShaclResult,
  shaclResults,
  shaclTable,
} from '../parts/findings.ts'
import {
  dimensionBars,
  type PageIndicator,
  pointsToNextStep,
  qualityDimensions,
  scoreSummary,
  scoreText,
} from '../parts/quality.ts'
import { distributionFigures, fieldsAt, listAt, numberAt } from '../record.ts'
import { indicatorTable, notMeasured, sharesIn } from './quality-pages.ts'

/** Most corrections on the page of a dataset, and most distributions that are named under each. */
const [mostFixes, mostFiles] = [5, 5]
/** Key of the indicator that the validation measures. */
const compliance = 'dcatApCompliance'
const asNTriples = { headers: { Accept: 'application/n-triples' } }

/** Page about the quality of a dataset. Rejects with `Failure`. */
export async function qualityPage(context: PageContext, id: string): Promise<PageContent> {
  const { t, formats, root, pathTo, plainTitle, titleOf, readRecord, ask, askOptional, optional } =
    context
  const path = `datasets/${encodeURIComponent(id)}`
  const [record, measured, files, leftOut, results] = await Promise.all([
    readRecord('datasets', id),
    ask('metrics', `/${path}`).catch(() => undefined),
    askOptional('metrics', `/${path}/distributions`),
    askOptional('search', `/${path}/findings`),
    // The repository keeps the results of the validation with the measurements (DQV).
    optional(
      ask('repository', `/${path}/metrics`, asNTriples).then((report) => shaclResults(report)),
    ),
  ])
  const result = fieldsAt(measured, 'result.results.0')
  const catalogue = fieldsAt(record, 'catalog')
  const catalogueId = textAt(catalogue, 'id')
  const links = await fieldLinks(context, { id, catalogue: catalogueId ?? '' })
  const steps = [
    catalogueId !== undefined && {
      href: pathTo('catalogues', catalogueId),
      label: titleOf(catalogue),
    },
    { href: pathTo('datasets', id), label: titleOf(record) },
  ]
  const report = catalogueId !== undefined && pathTo('quality', 'catalogues', catalogueId)
  const data = html`<p class="take close"><span>${t('as-data')}</span>
    <a href="${root}api/hub/repo/${path}/metrics">DQV (Turtle)</a><a href="${root}api/mqa/cache/${path}">JSON</a>
    ${report !== false && html`<a href="${report}">${t('catalogue-report')}</a>`}</p>`
  const findings = [
    findingsIn(context, record, results ?? [], links),
    leftOutTable(context, leftOut, ({ property = '', ...finding }) =>
      links?.toFinding({ fix: finding.reason, path: property, value: finding.value }),
    ),
  ]
  const failingFilesOf = failingFiles(context, record, files)
  const linkOf = linkToIndicator(links, results ?? [])
  const day = formats.moment(valueAt(result, 'info.measured'))
  const title = t('quality-of', { title: plainTitle(record) })
  const isMeasured = typeof valueAt(result, 'info.score') === 'number'
  return {
    title,
    section: 'quality',
    isIndexed: false,
    canonical: `${path}/quality`,
    body: html`${breadcrumbs(context, ...steps)}
      <header class="title"><h1>${title}</h1><p class="by">${joinHtml([t('measured-by'), day], ' · ')}</p></header>
      ${isMeasured ? [datasetFigures(context, result, { findings, failingFilesOf, id, linkOf }), data] : [notMeasured(context), findings]}`,
  }
}

function findingsIn(
  context: PageContext,
  record: Fields,
  results: readonly ShaclResult[],
  links: FieldLinks | undefined,
): HtmlContent {
  const { t, titleOf } = context
  const records = [record, fieldsAt(record, 'catalog'), ...listAt(record, 'distributions')]
  const names = records.map(
    (resource) => [textAt(resource, 'id') ?? '', titleOf(resource)] as const,
  )
  const table = shaclTable(context, 'findings', results, {
    names: new Map(names),
    linkOf: (finding) => linkToResult(links, finding),
  })
  const body = html`<p>${resultCounts(context, results)}</p>${table}`
  return results.length > 0 && pageSection('shacl', t('findings'), body)
}

const linkToResult = (links: FieldLinks | undefined, { focus, path }: ShaclResult) =>
  links?.toFinding({ fix: compliance, node: focus, path })

/** Returns the path of the field that mends an indicator, of the distribution with an id; `undefined` for who may not change it. */
type LinkOf = (indicator: PageIndicator, distribution?: string) => string | undefined

/** Makes a `LinkOf` function; the fields of the compliance are those of the results of the validation. */
const linkToIndicator =
  (links: FieldLinks | undefined, results: readonly ShaclResult[]): LinkOf =>
  (indicator, distribution) =>
    indicator.key === compliance
      ? results.map((result) => linkToResult(links, result)).find((path) => path !== undefined)
      : links?.toIndicator(indicator, distribution)

type FailingFile = { readonly id: string; readonly title: HtmlContent }

/** Returns the measured distributions, among those that the record lists, that do not fulfil an indicator. */
type FailingFiles = (indicator: string) => readonly FailingFile[]

/** Makes a `FailingFiles` function; `answer` is that of the metrics to `/datasets/{id}/distributions`. */
function failingFiles({ titleOf }: PageContext, record: Fields, answer?: Fields): FailingFiles {
  const titles = new Map(
    listAt(record, 'distributions').map((file) => [textAt(file, 'id'), titleOf(file)]),
  )
  const files = distributionFigures(answer).map((figures) => {
    const distribution = textAt(figures, 'info.distribution-id') ?? ''
    return { id: distribution, title: titles.get(distribution), share: sharesIn(figures) }
  })
  return (key) =>
    files.flatMap(({ id, title, share }) =>
      (share(key) ?? 1) < 0.999 && title ? [{ id, title }] : [],
    )
}

type DatasetFigureParts = {
  readonly id: string
  readonly findings: HtmlContent
  readonly failingFilesOf: FailingFiles
  readonly linkOf: LinkOf
}

/** Sections of a measured dataset: its score, corrections, findings and all indicators. */
function datasetFigures(
  context: PageContext,
  result: Fields,
  { id, findings, failingFilesOf, linkOf }: DatasetFigureParts,
): HtmlContent {
  const { t } = context
  const [score, scores] = [numberAt(result, 'info.score'), fieldsAt(result, 'info.scores')]
  const text = scoreText(context, score, undefined, pointsToNextStep(context, score))
  const shareOf = sharesIn(result)
  // An indicator without a measurement gives no points and needs no correction.
  const pointFigures = ({ key }: PageIndicator) => {
    const earned = numberAt(result, `points.${key}.points`)
    const most = numberAt(result, `points.${key}.max`)
    const isMeasured = shareOf(key) !== undefined
    return { text: isMeasured ? `${earned} / ${most}` : '–', gain: isMeasured ? most - earned : 0 }
  }
  const gainOf = (indicator: PageIndicator) => pointFigures(indicator).gain
  return [
    scoreSummary(text, dimensionBars(context, scores, true)),
    pageSection('fix', t('what-to-fix'), fixes(context, id, { gainOf, failingFilesOf, linkOf })),
    findings,
    indicatorTable(context, shareOf, {
      pointsOf: (indicator) => pointFigures(indicator).text,
      sumOf: ({ key, most }) => `${Math.round(numberAt(scores, key))} / ${most}`,
      linkOf: (indicator) =>
        (shareOf(indicator.key) ?? 0) < 0.999 ? linkOf(indicator) : undefined,
    }),
  ]
}

/** List of the indicators that could give more points, those with the most first, `mostFixes` at most. */
function fixes(
  { t, pathTo }: PageContext,
  id: string,
  {
    gainOf,
    failingFilesOf,
    linkOf,
  }: Pick<DatasetFigureParts, 'failingFilesOf' | 'linkOf'> & {
    readonly gainOf: (indicator: PageIndicator) => number
  },
): HtmlMarkup {
  const missing = qualityDimensions
    .flatMap(({ indicators }) => indicators)
    .filter((indicator) => gainOf(indicator) > 0)
    .toSorted((a, b) => gainOf(b) - gainOf(a))
  if (missing.length === 0) return html`<p>${t('nothing-to-fix')}</p>`
  const items = missing.slice(0, mostFixes).map((indicator) => {
    const { key, example } = indicator
    const code = html`<pre tabindex="0" aria-label="${t('example-turtle')}"><code>${example}</code></pre>`
    const files = failingFilesOf(key).slice(0, mostFiles)
    const names = files.map((file) => linkIf(linkOf(indicator, file.id), file.title))
    const fileList = files.length > 0 && html`<p>${t('fix-files')}: ${joinHtml(names, ', ')}</p>`
    const heading = linkIf(linkOf(indicator, files[0]?.id), t(`fix-${key}`))
    return html`<li><h3>${heading}</h3><span class="gain">+ ${t('n-points', { count: gainOf(indicator) })}</span>
      <p>${t(`fix-${key}-text`)}</p>${fileList}${example !== undefined && code}</li>`
  })
  return html`<ol class="fixes" role="list">${items}</ol>
    <p class="close"><a class="button" href="${pathTo('check')}?dataset=${encodeURIComponent(id)}">${icon('wrench')} ${t('try-corrected')}</a></p>`
}
