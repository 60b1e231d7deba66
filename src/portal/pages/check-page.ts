/** "Check my metadata": syntax with its line, findings of the validation with their lines. Nothing is stored. */

import { readFileSync } from 'node:fs'
import type { Quad } from '@rdfjs/types'
import { parse } from '../../rdf/parse.ts'
import { formats, type Format } from '../../rdf/media-types.ts'
import { placedQuads, type PlacedQuad } from '../../rdf/reading/placed-quads.ts'
import { Failure } from '../../errors.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../page.ts'
import { pageSection } from '../parts/blocks.ts'
import { dimensionBars, mostPoints, qualityMark } from '../parts/quality.ts'
import { recordPreviews } from '../parts/record-preview.ts'
import { type ShaclResult, shaclResultsOf, shaclTable } from '../parts/shacl-results.ts'
import { askPort, ServiceRefusal } from '../ports.ts'
import { listAt, memberFields, textOr } from '../record.ts'

/** Characters of a text that is checked. */
const longestText = 2 * 2 ** 20
const base = 'https://example.org/'
const models = ['dcatap301level1', 'dcatap301level2', 'dcatap211level1'] as const

const sample = readFileSync(new URL('../assets/examples/check.ttl', import.meta.url), 'utf8')

/** RDF that begins like XML, like JSON, or like neither. */
function formatOf(text: string): Format {
  const start = text.trimStart()
  if (/^<\?xml|^<rdf:RDF/i.test(start)) return 'rdfxml'
  return start.startsWith('{') || start.startsWith('[') ? 'jsonld' : 'turtle'
}

export async function checkPage(
  context: PageContext,
  form: { readonly rdf?: string; readonly level?: string | undefined },
): Promise<PageContent> {
  const { t, pathTo } = context
  const { rdf = sample, level } = form
  const model = models.find((one) => one === level) ?? models[0]
  const checked =
    rdf.trim() === '' || form.rdf === undefined
      ? false
      : await outcome(context, rdf.slice(0, longestText), model)
  const options = models.map(
    (one) =>
      html`<option value="${one}"${one === model && html` selected`}>${t(`model-${one}`)}</option>`,
  )
  return {
    title: t('check-title'),
    section: 'check',
    isIndexed: form.rdf === undefined,
    body: html`<h1>${t('check-title')}</h1><p class="prose close">${t('check-lead')}</p>
      <form class="stack close" method="post" action="${pathTo('check')}#result"><div class="field"><label for="rdf">${t('metadata')}</label><textarea class="code" id="rdf" name="rdf" rows="14" spellcheck="false">${rdf}</textarea></div><p class="row"><button class="button primary">${icon('check')}
      ${t('check')}</button><label for="level">${t('against')}</label><select id="level" name="level">${options}</select></p></form>
      ${checked}`,
  }
}

async function outcome(context: PageContext, text: string, model: string): Promise<HtmlContent> {
  const { t, ports, signal } = context
  const format = formatOf(text)
  let record: readonly Quad[]
  try {
    record = await parse(text, format, { baseIri: base })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const [place] = error.errors
    const where =
      place?.line === undefined ? '' : t('at-line', { line: place.line, column: place.column ?? 1 })
    return pageSection(
      'result',
      t('result'),
      html`<div class="notice bad">${icon('circle-x')}<div><h2>${t('syntax-error')}
        ${where}</h2><p><bdi>${place?.detail ?? error.detail}</bdi></p></div></div>${place?.line !== undefined && listing(context, text, new Set([place.line]))}`,
    )
  }
  const { validation } = ports
  if (!validation) return pageSection('result', t('result'), html`<p>${t('syntax-right')}</p>`)
  const ask = async (what: string, accept: string): Promise<string> => {
    const headers = { 'Content-Type': formats[format].mediaType, Accept: accept }
    const init = { method: 'POST', body: text, signal, headers }
    const answer = await askPort(validation, `/validation/${what}?shapeModel=${model}`, init)
    if (answer.ok) return answer.text()
    throw new ServiceRefusal(answer.status, memberFields(await answer.json().catch(() => ({}))))
  }
  const report = await ask('report', 'application/n-triples')
  const expected = memberFields(JSON.parse(await ask('score', 'application/json')))
  const placed = format === 'turtle' ? placedQuads(text, base) : []
  const statements = Map.groupBy(placed, ({ quad }) => quad.subject.value)
  const results = shaclResultsOf(await parse(report, 'ntriples', { baseIri: base }))
    .map((one) => ({ ...one, line: lineOf(one, statements) }))
    .toSorted((a, b) => Number(b.isError) - Number(a.isError) || (a.line ?? 0) - (b.line ?? 0))
  return [
    shown(context, text, results),
    expectation(context, expected),
    recordPreviews(context, record),
  ]
}

/** Points of each dataset, those of its links aside: nobody asked them. */
function expectation(context: PageContext, expected: unknown): HtmlContent {
  const { t } = context
  const datasets = listAt(expected, 'datasets')
  if (datasets.length === 0) return false
  const rows = datasets.map(({ dataset, total, dimensions }) => {
    const score = Number(total)
    const scores = Object.fromEntries(
      Object.entries(memberFields(dimensions)).map(([key, points]) => [key, Number(points)]),
    )
    return html`<h3><bdi>${textOr(dataset)}</bdi></h3><div class="verdict close"><div><p class="score"><strong>${score}</strong><span class="soft">${t('of-points', { count: mostPoints })}</span></p><p>${qualityMark(context, score)}</p></div>${dimensionBars(context, scores)}</div>`
  })
  return pageSection(
    'points',
    t('points-to-expect'),
    html`<p class="prose">${t('points-without-links', { count: 80 })}</p>${rows}`,
  )
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

function shown(context: PageContext, text: string, results: readonly ShaclResult[]): HtmlMarkup {
  const { t } = context
  const errors = results.filter(({ isError }) => isError).length
  const sign = errors > 0 ? 'bad' : results.length > 0 ? 'warn' : 'good'
  const lines = new Set(results.flatMap(({ line }) => line ?? []))
  return pageSection(
    'result',
    t('result'),
    html`<div class="notice ${sign}">${icon(errors > 0 ? 'circle-x' : 'circle-check')}<div>
      <h2>${t('n-findings', { errors, warnings: results.length - errors })}</h2>
      <p>${t(errors > 0 ? 'valid-not-compliant' : 'valid-compliant')}</p></div></div>
      ${results.length > 0 && shaclTable(context, t('result'), results)}
      ${lines.size > 0 && listing(context, text, lines)}`,
  )
}

/** Lines that the listing has at most. */
const mostLines = 2000

/** The text with numbered lines, those with findings marked. */
function listing({ t }: PageContext, text: string, hits: ReadonlySet<number>): HtmlMarkup {
  const lines = text
    .split('\n')
    .slice(0, mostLines)
    .map(
      (line, at) =>
        html`<span id="l${at + 1}" class="${hits.has(at + 1) && 'hit'}">${line.slice(0, 1000)}</span>`,
    )
  return html`<h3 class="section">${t('where-it-is')}</h3><pre class="listing close" tabindex="0" aria-label="${t('your-metadata')}"><code>${lines}</code></pre>`
}
