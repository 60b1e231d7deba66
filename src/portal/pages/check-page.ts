/** Page "Check my metadata": syntax errors and validation results of a text with their lines. Nothing is stored. */

import { readFileSync } from 'node:fs'
import { type Fields, textAt } from '../../text/json.ts'
import type { CheckedDescription } from '../check/checker.ts'
import type { LocatedResults } from '../check/checked-text.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { codeListing, notice, pageSection } from '../parts/blocks.ts'
import { shaclTable } from '../parts/findings.ts'
import { searchHit } from '../parts/hits.ts'
import { dimensionBars, scoreText, scoreSummary } from '../parts/quality.ts'
import { fieldsAt, numberAt } from '../record.ts'

const models = ['dcatap301level1', 'dcatap301level2', 'dcatap211level1'] as const

const sample = readFileSync(new URL('../assets/examples/check.ttl', import.meta.url), 'utf8')

/** Shape model that the form names, else the first one. */
export const shapeModelOf = (level: string | undefined): string =>
  models.find((model) => model === level) ?? models[0]

/** Form for RDF and, after it was sent, the outcome of the check. */
export function checkPage(
  context: PageContext,
  form: { readonly rdf?: string; readonly level?: string; readonly outcome?: CheckedDescription },
): PageContent {
  const { t, pathTo } = context
  const { rdf = sample, level, outcome } = form
  const model = shapeModelOf(level)
  const options = models.map(
    (name) =>
      html`<option value="${name}"${name === model && html` selected`}>${t(`model-${name}`)}</option>`,
  )
  return {
    title: t('check-title'),
    section: 'check',
    isIndexed: form.rdf === undefined,
    body: html`<h1>${t('check-title')}</h1><p class="prose close">${t('check-lead')}</p>
      <form class="stack close" method="post" action="${pathTo('check')}#result">
      <div class="field"><label for="rdf">${t('metadata')}</label>
      <textarea class="code" id="rdf" name="rdf" rows="14" spellcheck="false">${rdf}</textarea></div>
      <p class="row"><button class="button primary">${icon('check')} ${t('check')}</button>
      <label for="level">${t('against')}</label><select id="level" name="level">${options}</select></p></form>
      ${outcome && outcomeSections(context, rdf, outcome)}`,
  }
}

function outcomeSections(
  context: PageContext,
  text: string,
  outcome: CheckedDescription,
): HtmlContent {
  const { t } = context
  const { fault, refusal, records = [], expected = [] } = outcome
  if (refusal) {
    const content = notice('bad', t('check-refused'), html`<p><bdi>${refusal.detail}</bdi></p>`)
    return resultSection(context, text, [], content)
  }
  if (fault) {
    const { line, column = 1, detail } = fault
    const position = line === undefined ? '' : t('at-line', { line, column })
    const heading = html`${t('syntax-error')} ${position}`
    const content = notice('bad', heading, html`<p><bdi>${detail}</bdi></p>`)
    return resultSection(context, text, [line], content)
  }
  const { results, errors = 0, warnings = 0 } = outcome
  const lines = results?.map(({ line }) => line) ?? []
  const content = results
    ? findings(context, { results, errors, warnings })
    : html`<p>${t('syntax-right')}</p>`
  return [
    resultSection(context, text, lines, content),
    expectation(context, expected),
    recordPreviews(context, records),
  ]
}

function findings(
  context: PageContext,
  { results, errors, warnings }: LocatedResults,
): HtmlContent {
  const { t } = context
  const kind = errors > 0 ? 'bad' : warnings > 0 ? 'warn' : 'good'
  const meaning = html`<p>${t(errors > 0 ? 'valid-not-compliant' : 'valid-compliant')}</p>`
  return [
    notice(kind, t('n-findings', { errors, warnings }), meaning),
    results.length > 0 && shaclTable(context, 'result', results),
  ]
}

/** Section with the outcome, and with the text where lines of it are marked; `lines` are their numbers from 1. */
function resultSection(
  { t }: PageContext,
  text: string,
  lines: readonly (number | undefined)[],
  content: HtmlContent,
): HtmlMarkup {
  const textListing = html`<h3 class="section">${t('where-it-is')}</h3> ${codeListing(t('your-metadata'), text, lines)}`
  const hasLines = lines.some((line) => line !== undefined)
  return pageSection('result', t('result'), [content, hasLines && textListing])
}

/** Section with the expected points of each dataset, without those of its links, which are not requested. */
function expectation(context: PageContext, datasets: readonly Fields[]): HtmlContent {
  const { t } = context
  const rows = datasets.map((dataset) => {
    const text = scoreText(context, numberAt(dataset, 'total'))
    const bars = dimensionBars(context, fieldsAt(dataset, 'dimensions'))
    const name = datasets.length > 1 && html`<h3><bdi>${textAt(dataset, 'dataset')}</bdi></h3>`
    return html`${name}${scoreSummary(text, bars)}`
  })
  const lead = html`<p class="prose">${t('points-without-links', { count: 80 })}</p>`
  return rows.length > 0 && pageSection('points', t('points-to-expect'), [lead, rows])
}

/** Section with the first datasets as search hits; nothing where the RDF describes none. */
function recordPreviews(context: PageContext, records: readonly Fields[]): HtmlContent {
  const hits = records.map((record) => searchHit(context, record))
  const list = html`<ol class="hits" role="list">${hits}</ol>`
  return hits.length > 0 && pageSection('look', context.t('would-look'), list)
}
