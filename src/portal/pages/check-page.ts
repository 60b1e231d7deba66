/** "Check my metadata": syntax with its line, findings of the validation with their lines. Nothing is stored. */

import type { Quad, Term } from '@rdfjs/types'
import { readFileSync } from 'node:fs'
import { dcat, dct, rdf as rdfTerm } from '../../rdf/namespaces.ts'
import { parse } from '../../rdf/parse.ts'
import { formatOfText, formats } from '../../rdf/media-types.ts'
import { placedQuads, type PlacedQuad } from '../../rdf/reading/placed-quads.ts'
import { Failure } from '../../errors.ts'
import { type Fields, textAt } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../page.ts'
import { listing, notice, pageSection } from '../parts/blocks.ts'
import { hit } from '../parts/hits.ts'
import { dimensionBars, scoreText, verdict } from '../parts/quality.ts'
import { countedResults, type ShaclResult, shaclResults, shaclTable } from '../parts/findings.ts'
import { fieldsAt, listAt, numberAt } from '../record.ts'

/** Characters of a text that is checked. */
const longestText = 2 * 2 ** 20
const base = 'https://example.org/'
const models = ['dcatap301level1', 'dcatap301level2', 'dcatap211level1'] as const

const sample = readFileSync(new URL('../assets/examples/check.ttl', import.meta.url), 'utf8')

export async function checkPage(
  context: PageContext,
  form: { readonly rdf?: string; readonly level?: string },
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

async function outcome(context: PageContext, text: string, model: string): Promise<HtmlContent> {
  const { t, ports, signal, ask } = context
  const format = formatOfText(text.slice(0, 1000)) ?? 'turtle'
  const record = await parse(text, format, { baseIri: base }).catch((error: unknown) => {
    if (error instanceof Failure) return error
    throw error
  })
  if (record instanceof Failure) {
    const { line, column = 1, detail = record.detail } = record.errors[0] ?? {}
    const where = line === undefined ? '' : t('at-line', { line, column })
    const heading = html`${t('syntax-error')} ${where}`
    const found = notice('bad', heading, html`<p><bdi>${detail}</bdi></p>`)
    return resultSection(context, text, [line], found)
  }
  if (!ports.validation) return resultSection(context, text, [], html`<p>${t('syntax-right')}</p>`)
  const init = (accept: string) => {
    const headers = { 'Content-Type': formats[format].mediaType, Accept: accept }
    return { method: 'POST', body: text, signal, headers }
  }
  const path = (what: string) => `/validation/${what}?shapeModel=${model}`
  const report = await ask('validation', path('report'), init('application/n-triples'))
  const expected = await ask('validation', path('score'), init('application/json'))
  const placed = /^(?:turtle|ntriples)$/.test(format) ? placedQuads(text, base) : []
  const results = await shaclResults(report, linesIn(placed))
  const lines = results.map(({ line }) => line)
  return [
    resultSection(context, text, lines, findings(context, results)),
    expectation(context, listAt(expected, 'datasets')),
    recordPreviews(context, record),
  ]
}

function findings(context: PageContext, results: readonly ShaclResult[]): HtmlContent {
  const { t } = context
  const hasErrors = results.some(({ isError }) => isError)
  const sign = hasErrors ? 'bad' : results.length > 0 ? 'warn' : 'good'
  const meaning = html`<p>${t(hasErrors ? 'valid-not-compliant' : 'valid-compliant')}</p>`
  return [
    notice(sign, countedResults(context, results), meaning),
    results.length > 0 && shaclTable(context, 'result', results),
  ]
}

/** The line of the value of a result, else of its path, else of its focus node. */
function linesIn(placed: readonly PlacedQuad[]): (result: ShaclResult) => number | undefined {
  const statements = Map.groupBy(placed, ({ quad }) => quad.subject.value)
  return ({ focus, path, value }) => {
    const about = statements.get(focus) ?? []
    const withPath = about.filter(({ quad }) => quad.predicate.value === path)
    const exact = withPath.find(({ quad }) => quad.object.value === value)
    return (exact ?? withPath[0] ?? about[0])?.line
  }
}

/** What was found, and where it was the text with the lines of the findings marked. */
function resultSection(
  { t }: PageContext,
  text: string,
  hits: readonly (number | undefined)[],
  found: HtmlContent,
): HtmlMarkup {
  const place = html`<h3 class="section">${t('where-it-is')}</h3> ${listing(t('your-metadata'), text, hits)}`
  const isPlaced = hits.some((line) => line !== undefined)
  return pageSection('result', t('result'), [found, isPlaced && place])
}

/** Points of each dataset, those of its links aside: nobody asked them. */
function expectation(context: PageContext, datasets: readonly Fields[]): HtmlContent {
  const { t } = context
  const rows = datasets.map((one) => {
    const text = scoreText(context, numberAt(one, 'total'))
    const bars = dimensionBars(context, fieldsAt(one, 'dimensions'))
    const name = datasets.length > 1 && html`<h3><bdi>${textAt(one, 'dataset')}</bdi></h3>`
    return html`${name}${verdict(text, bars)}`
  })
  const lead = html`<p class="prose">${t('points-without-links', { count: 80 })}</p>`
  return rows.length > 0 && pageSection('points', t('points-to-expect'), [lead, rows])
}

/** Records that are shown; a whole catalogue may be checked. */
const mostRecords = 5

/** Records that are not published yet, as their hits would look; nothing where the RDF describes no dataset. */
function recordPreviews(context: PageContext, quads: readonly Quad[]): HtmlContent {
  const datasets = quads.filter(
    ({ predicate, object }) => predicate.equals(rdfTerm('type')) && object.equals(dcat('Dataset')),
  )
  // Grouped once: a text of two megabytes may have thousands of distributions.
  const bySubject = Map.groupBy(quads, ({ subject }) => subject.value)
  const hits = datasets
    .slice(0, mostRecords)
    .map(({ subject }) => hit(context, recordOf(bySubject, subject)))
  const list = html`<ol class="hits" role="list">${hits}</ol>`
  return hits.length > 0 && pageSection('look', context.t('would-look'), list)
}

function recordOf(bySubject: ReadonlyMap<string, readonly Quad[]>, subject: Term): Fields {
  const valuesOf = (node: Term, predicate: Term) =>
    (bySubject.get(node.value) ?? []).flatMap((one) =>
      one.predicate.equals(predicate) ? one.object : [],
    )
  const languageOf = (term: Term) => ('language' in term && term.language) || 'en'
  const texts = (predicate: Term) =>
    Object.fromEntries(valuesOf(subject, predicate).map((one) => [languageOf(one), one.value]))
  const ending = (term: Term | undefined) => term?.value.split('/').at(-1)
  return {
    title: texts(dct('title')),
    description: texts(dct('description')),
    identifier: [subject.value],
    modified: valuesOf(subject, dct('modified'))[0]?.value,
    distributions: valuesOf(subject, dcat('distribution')).map((node) => {
      const [format] = valuesOf(node, dct('format'))
      const [licence] = [node, subject].flatMap((one) => valuesOf(one, dct('license')))
      const iri = licence?.value
      return {
        format: { id: ending(format) },
        license: { id: ending(licence), label: iri, resource: iri },
      }
    }),
  }
}
