/** "Check my metadata": syntax with its line, findings of the validation with their lines. Nothing is stored. */

import { z } from 'zod'
import { parse } from '../../rdf/parse.ts'
import { formats, type Format } from '../../rdf/media-types.ts'
import { placedQuads, type PlacedQuad } from '../../rdf/reading/placed-quads.ts'
import { Failure } from '../../errors.ts'
import { html, icon, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { pathTo, pageSection, type PageContent, type PageContext } from '../page.ts'
import { prefixedName } from '../parts/left-out.ts'
import { dimensionBars, mostPoints, qualityMark } from '../parts/quality.ts'
import { askJson } from '../ports.ts'
import { memberFields, listed, textOr } from '../record.ts'

/** Characters of a text that is checked. */
const longestText = 2 * 2 ** 20
const base = 'https://example.org/'
const models = ['dcatap301level1', 'dcatap301level2', 'dcatap211level1'] as const

const sample = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .

<https://example.org/ds/1> a dcat:Dataset ;
  dct:title "Water temperature of the Aue"@en ;
  dct:description "Hourly values of three gauges."@en ;
  dcat:distribution <https://example.org/ds/1/csv> .

<https://example.org/ds/1/csv> a dcat:Distribution ;
  dcat:accessURL <https://data.example/aue.csv> .
`

/** RDF that begins like XML, like JSON, or like neither. */
function formatOf(text: string): Format {
  const start = text.trimStart()
  if (/^<\?xml|^<rdf:RDF/i.test(start)) return 'rdfxml'
  return start.startsWith('{') || start.startsWith('[') ? 'jsonld' : 'turtle'
}

const iri = z.object({ '@id': z.string() })
const value = z.union([
  z.string(),
  z.looseObject({
    '@value': z.union([z.string(), z.number(), z.boolean()]).optional(),
    '@id': z.string().optional(),
    '@language': z.string().optional(),
  }),
])
const result = z.looseObject({
  'sh:focusNode': iri.optional(),
  'sh:resultPath': iri.optional(),
  'sh:resultSeverity': iri.optional(),
  'sh:resultMessage': z.unknown(),
  'sh:value': value.optional(),
})

type Finding = {
  readonly line: number | undefined
  readonly isError: boolean
  readonly property: string
  readonly message: string
  readonly value: string
}

export async function checkPage(
  context: PageContext,
  form: { readonly rdf?: string; readonly level?: string | undefined },
): Promise<PageContent> {
  const { t } = context
  const { rdf = sample, level } = form
  const model = models.find((one) => one === level) ?? models[0]
  const checked =
    form.rdf === undefined ? false : await outcome(context, rdf.slice(0, longestText), model)
  const options = models.map(
    (one) =>
      html`<option value="${one}"${one === model && html` selected`}>${t(`model-${one}`)}</option>`,
  )
  return {
    title: t('check-title'),
    section: 'check',
    isIndexed: form.rdf === undefined,
    body: html`<h1>${t('check-title')}</h1><p class="prose close">${t('check-lead')}</p> <form class="stack close" method="post" action="${pathTo(context, 'check')}#result"><div class="field"><label for="rdf">${t('metadata')}</label><textarea class="code" id="rdf" name="rdf" rows="14" spellcheck="false">${rdf}</textarea></div><p class="row"><button class="button primary">${icon('check')} ${t('check')}</button><label for="level">${t('against')}</label><select id="level" name="level">${options}</select></p></form> ${checked}`,
  }
}

async function outcome(context: PageContext, text: string, model: string): Promise<HtmlContent> {
  const { t, ports, signal } = context
  const format = formatOf(text)
  try {
    await parse(text, format, { baseIri: base })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const [place] = error.errors
    const where =
      place?.line === undefined ? '' : t('at-line', { line: place.line, column: place.column ?? 1 })
    return pageSection(
      'result',
      t('result'),
      html`<div class="notice bad">${icon('circle-x')}<div><h2>${t('syntax-error')} ${where}</h2><p><bdi>${place?.detail ?? error.detail}</bdi></p></div></div>${place?.line !== undefined && listing(context, text, new Set([place.line]))}`,
    )
  }
  const { validation } = ports
  if (!validation) return pageSection('result', t('result'), html`<p>${t('syntax-right')}</p>`)
  const ask = async (what: string, accept: string) =>
    askJson(validation, `/validation/${what}?shapeModel=${model}`, {
      method: 'POST',
      body: text,
      signal,
      headers: { 'Content-Type': formats[format].mediaType, Accept: accept },
    })
  const report = await ask('report', 'application/ld+json')
  const expected = await ask('score', 'application/json')
  const statements = format === 'turtle' ? placedQuads(text, base) : []
  const findings = listed(memberFields(report)['sh:result']).flatMap((one) =>
    findingOf(one, statements),
  )
  const sorted = findings.toSorted(
    (a, b) => Number(b.isError) - Number(a.isError) || (a.line ?? 0) - (b.line ?? 0),
  )
  return [shown(context, text, sorted), expectation(context, expected)]
}

/** Points of each dataset, those of its links aside: nobody asked them. */
function expectation(context: PageContext, expected: unknown): HtmlContent {
  const { t } = context
  const datasets = listed(memberFields(expected)['datasets']).map(memberFields)
  if (datasets.length === 0) return false
  const rows = datasets.map(({ dataset, total, dimensions }) => {
    const score = Number(total)
    const scores = Object.fromEntries(
      Object.entries(memberFields(dimensions)).map(([key, points]) => [key, Number(points)]),
    )
    return html`<h3><bdi>${textOr(dataset)}</bdi></h3><div class="verdict close"><div><p class="score"><strong>${score}</strong><span class="soft">${t('of-points', { count: mostPoints })}</span></p><p>${qualityMark(context, score)}</p></div>${dimensionBars(context, scores, true)}</div>`
  })
  return pageSection(
    'points',
    t('points-to-expect'),
    html`<p class="prose">${t('points-without-links', { count: 80 })}</p>${rows}`,
  )
}

/** A finding points to its value, else to its path, else to its focus node. */
function findingOf(one: unknown, statements: readonly PlacedQuad[]): readonly Finding[] {
  const { data } = result.safeParse(one)
  if (!data) return []
  const focus = data['sh:focusNode']?.['@id']
  const path = data['sh:resultPath']?.['@id']
  const given = data['sh:value']
  const wrong =
    typeof given === 'string'
      ? given
      : given === undefined
        ? undefined
        : String(given['@value'] ?? given['@id'] ?? '')
  const about = statements.filter(({ quad }) => quad.subject.value === focus)
  const place =
    about.find(({ quad }) => quad.predicate.value === path && quad.object.value === wrong) ??
    about.find(({ quad }) => quad.predicate.value === path) ??
    about[0]
  const message = data['sh:resultMessage']
  return [
    {
      line: place?.line,
      isError: data['sh:resultSeverity']?.['@id'].endsWith('#Violation') ?? true,
      property: path === undefined ? '' : prefixedName(path),
      message:
        textOr(memberFields(listed(message)[0])['@value']) ?? textOr(listed(message)[0]) ?? '',
      value: wrong ?? '',
    },
  ]
}

function shown(context: PageContext, text: string, findings: readonly Finding[]): HtmlMarkup {
  const { t } = context
  const errors = findings.filter(({ isError }) => isError).length
  const sign = errors > 0 ? 'bad' : findings.length > 0 ? 'warn' : 'good'
  const head = html`<div class="notice ${sign}">${icon(errors > 0 ? 'circle-x' : 'circle-check')}<div><h2>${t('n-findings', { errors, warnings: findings.length - errors })}</h2><p>${t(errors > 0 ? 'valid-not-compliant' : 'valid-compliant')}</p></div></div>`
  if (findings.length === 0) return pageSection('result', t('result'), head)
  const rows = findings
    .slice(0, 500)
    .map(
      (one) =>
        html`<tr role="row"><td role="cell" class="num" data-label="${t('line')}">${one.line === undefined ? '–' : html`<a href="#l${one.line}">${one.line}</a>`}</td><td role="cell" data-label="${t('severity')}"><span class="state ${one.isError ? 'bad' : 'warn'}">${icon(one.isError ? 'circle-x' : 'triangle-alert')} ${t(one.isError ? 'error' : 'warning')}</span></td><td role="cell" class="wide"><code>${one.property}</code></td><td role="cell" class="wide">${one.message}</td><td role="cell" class="wide">${one.value !== '' && html`<code><bdi>${one.value.slice(0, 300)}</bdi></code>`}</td></tr>`,
    )
  const heads = ['line', 'severity', 'property', 'what-is-wrong', 'value'].map(
    (key) => html`<th scope="col" role="columnheader">${t(key)}</th>`,
  )
  const lines = new Set(findings.flatMap(({ line }) => line ?? []))
  return pageSection(
    'result',
    t('result'),
    html`${head}<div class="scroll close" tabindex="0" role="group" aria-labelledby="result"><table role="table" class="table stacks"><thead role="rowgroup"><tr role="row">${heads}</tr></thead><tbody role="rowgroup">${rows}</tbody></table></div>${lines.size > 0 && listing(context, text, lines)}`,
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
