/** "Check my metadata": syntax with its line, findings of the validation with their lines. Nothing is stored. */

import { readFileSync } from 'node:fs'
import type { Quad } from '@rdfjs/types'
import { parse } from '../../rdf/parse.ts'
import { formats, type Format } from '../../rdf/media-types.ts'
import { placedQuads, type PlacedQuad } from '../../rdf/reading/placed-quads.ts'
import { Failure } from '../../errors.ts'
import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../page.ts'
import { notice, pageSection } from '../parts/blocks.ts'
import { dimensionBars, scoreText, verdict } from '../parts/quality.ts'
import { recordPreviews } from '../parts/record-preview.ts'
import {
  countedResults,
  type ShaclResult,
  shaclResultsOf,
  shaclTable,
} from '../parts/shacl-results.ts'
import { askJson, askText } from '../ports.ts'
import { fieldsAt, listAt, numberAt, textAt } from '../record.ts'

/** Characters of a text that is checked. */
const longestText = 2 * 2 ** 20
const base = 'https://example.org/'
const models = ['dcatap301level1', 'dcatap301level2', 'dcatap211level1'] as const

const sample = readFileSync(new URL('../assets/examples/check.ttl', import.meta.url), 'utf8')

export async function checkPage(
  context: PageContext,
  form: { readonly rdf?: string; readonly level?: string | undefined },
): Promise<PageContent> {
  const { t, pathTo } = context
  const { rdf = sample, level } = form
  const model = models.find((one) => one === level) ?? models[0]
  const isAsked = form.rdf !== undefined && rdf.trim() !== ''
  const options = models.map(
    (one) =>
      html`<option value="${one}"${one === model && html` selected`}>${t(`model-${one}`)}</option>`,
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
      ${isAsked && (await outcome(context, rdf.slice(0, longestText), model))}`,
  }
}

/** RDF that begins like XML, like JSON, or like neither. */
function formatOf(text: string): Format {
  const start = text.trimStart()
  if (/^<\?xml|^<rdf:RDF/i.test(start)) return 'rdfxml'
  return start.startsWith('{') || start.startsWith('[') ? 'jsonld' : 'turtle'
}

async function outcome(context: PageContext, text: string, model: string): Promise<HtmlContent> {
  const { t, ports, signal } = context
  const format = formatOf(text)
  let record: readonly Quad[]
  try {
    record = await parse(text, format, { baseIri: base })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return pageSection('result', t('result'), syntaxProblem(context, text, error))
  }
  const { validation } = ports
  if (!validation) return pageSection('result', t('result'), html`<p>${t('syntax-right')}</p>`)
  const init = (accept: string) => {
    const headers = { 'Content-Type': formats[format].mediaType, Accept: accept }
    return { method: 'POST', body: text, signal, headers }
  }
  const path = (what: string) => `/validation/${what}?shapeModel=${model}`
  const report = await askText(validation, path('report'), init('application/n-triples'))
  const expected = await askJson(validation, path('score'), init('application/json'))
  const placed = format === 'turtle' ? placedQuads(text, base) : []
  const statements = Map.groupBy(placed, ({ quad }) => quad.subject.value)
  const results = shaclResultsOf(await parse(report, 'ntriples', { baseIri: base }))
    .map((one) => ({ ...one, line: lineOf(one, statements) }))
    .toSorted((a, b) => Number(b.isError) - Number(a.isError) || (a.line ?? 0) - (b.line ?? 0))
  return [
    pageSection('result', t('result'), findings(context, text, results)),
    expectation(context, listAt(expected, 'datasets')),
    recordPreviews(context, record),
  ]
}

function syntaxProblem(context: PageContext, text: string, error: Failure): HtmlContent {
  const { t } = context
  const [place] = error.errors
  const { line, column = 1 } = place ?? {}
  const where = line === undefined ? '' : t('at-line', { line, column })
  const detail = html`<p><bdi>${place?.detail ?? error.detail}</bdi></p>`
  return [
    notice('bad', html`${t('syntax-error')} ${where}`, detail),
    line !== undefined && listing(context, text, new Set([line])),
  ]
}

function findings(
  context: PageContext,
  text: string,
  results: readonly ShaclResult[],
): HtmlContent {
  const { t } = context
  const hasErrors = results.some(({ isError }) => isError)
  const sign = hasErrors ? 'bad' : results.length > 0 ? 'warn' : 'good'
  const verdictText = html`<p>${t(hasErrors ? 'valid-not-compliant' : 'valid-compliant')}</p>`
  const lines = new Set(results.flatMap(({ line }) => line ?? []))
  return [
    notice(sign, countedResults(context, results), verdictText),
    results.length > 0 && shaclTable(context, 'result', results),
    lines.size > 0 && listing(context, text, lines),
  ]
}

/** Of the value of a result, else of its path, else of its focus node. */
function lineOf(
  result: ShaclResult,
  statements: ReadonlyMap<string, readonly PlacedQuad[]>,
): number | undefined {
  const about = statements.get(result.focus) ?? []
  const withPath = about.filter(({ quad }) => quad.predicate.value === result.path)
  const exact = withPath.find(({ quad }) => quad.object.value === result.value)
  return (exact ?? withPath[0] ?? about[0])?.line
}

/** Lines that the listing has at most, and characters of each. */
const [mostLines, longestLine] = [2000, 1000]

/** The text with numbered lines, those with findings marked. */
function listing({ t }: PageContext, text: string, hits: ReadonlySet<number>): HtmlMarkup {
  const lines = text
    .split('\n')
    .slice(0, mostLines)
    .map((line, at) => {
      const isHit = hits.has(at + 1)
      return html`<span id="l${at + 1}"${isHit && html` class="hit"`}>${line.slice(0, longestLine)}</span>`
    })
  return html`<h3 class="section">${t('where-it-is')}</h3>
    <pre class="listing close" tabindex="0" aria-label="${t('your-metadata')}"><code>${lines}</code></pre>`
}

/** Points of each dataset, those of its links aside: nobody asked them. */
function expectation(context: PageContext, datasets: readonly Fields[]): HtmlContent {
  const { t } = context
  const rows = datasets.map((one) => {
    const text = scoreText(context, numberAt(one, 'total'))
    const bars = dimensionBars(context, fieldsAt(one, 'dimensions'))
    return html`<h3><bdi>${textAt(one, 'dataset')}</bdi></h3>${verdict(text, bars)}`
  })
  const lead = html`<p class="prose">${t('points-without-links', { count: 80 })}</p>`
  return rows.length > 0 && pageSection('points', t('points-to-expect'), [lead, rows])
}
