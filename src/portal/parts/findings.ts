/**
 * Tables of what is wrong with a record: results of a SHACL validation (W3C SHACL, 3.6), and values that the search leaves out.
 */

import type { Term } from '@rdfjs/types'
import { rdf, sh, shortNames } from '../../rdf/namespaces.ts'
import type { Editor } from '../../profile/form-editors.ts'
import { parse } from '../../rdf/parse.ts'
import { type Fields, textAt, textOr } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { listAt } from '../record.ts'
import { pageSection, stateBadge } from './blocks.ts'
import { faultWords, sentenceOf } from './fault-words.ts'
import { textTable } from './table.ts'

/** Result of a SHACL validation as plain texts. */
export type ShaclResult = {
  /** Whether its severity is neither `sh:Warning` nor `sh:Info`. */
  readonly isError: boolean
  /** IRI or label of the node that the result is about. */
  readonly focus: string
  /** IRI of the property, or the label of a blank node for a longer path; empty where the result is about the node as a whole. */
  readonly path: string
  readonly value: string
  /** Messages by language. */
  readonly messages: Fields
  /** IRI of the constraint component. */
  readonly component: string
  /** Line in the text that a reader let check; absent for stored records. */
  readonly line?: number
}

/** Short form of an IRI with a known prefix (`dct:title`), else the IRI. */
export const prefixedName = (iri: string): string => shortNames().shorten(iri) ?? iri

/** Reads the results of a validation report in N-Triples: errors first, then by line. */
export async function shaclResults(
  report: unknown,
  lineOf: (result: ShaclResult) => number | undefined = () => undefined,
): Promise<readonly ShaclResult[]> {
  const quads = await parse(textOr(report) ?? '', 'ntriples', { baseIri: 'urn:report' })
  const nodes = [...Map.groupBy(quads, ({ subject }) => subject.value).values()]
  const results = nodes.flatMap((quads) => {
    const valueOf = (property: Term) =>
      quads.find(({ predicate }) => predicate.equals(property))?.object.value ?? ''
    if (valueOf(rdf('type')) !== sh('ValidationResult').value) return []
    const result = {
      isError: !/#(?:Warning|Info)$/.test(valueOf(sh('resultSeverity'))),
      focus: valueOf(sh('focusNode')),
      path: valueOf(sh('resultPath')),
      value: valueOf(sh('value')),
      messages: Object.fromEntries(
        quads.flatMap(({ predicate, object }) =>
          predicate.equals(sh('resultMessage')) && object.termType === 'Literal'
            ? [[object.language, object.value]]
            : [],
        ),
      ),
      component: valueOf(sh('sourceConstraintComponent')),
    }
    return [{ ...result, line: lineOf(result) }]
  })
  return results.toSorted(
    (a, b) => Number(b.isError) - Number(a.isError) || (a.line ?? 0) - (b.line ?? 0),
  )
}

/** Message with the numbers of errors and of other results, which count as warnings. */
export function resultCounts({ t }: PageContext, results: readonly ShaclResult[]): string {
  const errors = results.filter(({ isError }) => isError).length
  return t('n-findings', { errors, warnings: results.length - errors })
}

/** Words about a result; `editor` is that of its field. */
export const resultWords = (
  context: PageContext,
  { path, component, ...fault }: Pick<ShaclResult, 'path' | 'component' | 'messages' | 'value'>,
  editor?: Editor,
): HtmlContent =>
  faultWords(context, { ...fault, key: path === '' ? undefined : sentenceOf(component, editor) })

/** Most rows of each table; values that were left out beyond them are counted. */
const [mostRows, mostLeftOut] = [500, 50]
const longestValue = 300

/** Names of focus nodes, and paths of the pages on which results are corrected. */
type ResultOptions = {
  readonly names?: ReadonlyMap<string, HtmlContent>
  readonly linkOf?: (result: ShaclResult) => string | undefined
}

/**
 * Table with a row for each result, `mostRows` at most. The first column is the line where results have lines, else the focus
 * node: the last part of its IRI, or its entry in `names`. `label` is the key of a message.
 */
export function shaclTable(
  context: PageContext,
  label: string,
  results: readonly ShaclResult[],
  { names = new Map(), linkOf = () => undefined }: ResultOptions = {},
): HtmlMarkup {
  const { t } = context
  const hasLines = results.some(({ line }) => line !== undefined)
  const where = ({ line, focus }: ShaclResult) => {
    if (!hasLines) return names.get(nodeName(focus)) ?? html`<bdi>${nodeName(focus)}</bdi>`
    return line === undefined ? '–' : html`<a href="#l${line}">${line}</a>`
  }
  const rows = results
    .slice(0, mostRows)
    .map((result) => [
      where(result),
      result.isError ? stateBadge('bad', t('error')) : stateBadge('warn', t('warning')),
      propertyName(prefixedName(result.path), linkOf(result)),
      resultWords(context, result),
      result.value !== '' && html`<code><bdi>${result.value.slice(0, longestValue)}</bdi></code>`,
    ])
  const heads = [hasLines ? 'line' : 'where', 'severity', 'property', 'what-is-wrong', 'value']
  return textTable(context, label, heads, rows)
}

/** Short name of a property, as a link where there is a page on which it is corrected. */
const propertyName = (name: string | undefined, href: string | undefined): HtmlMarkup =>
  href === undefined ? html`<code>${name}</code>` : html`<a href="${href}"><code>${name}</code></a>`

/** Last part of an IRI that is not empty. */
const nodeName = (iri: string): string => iri.split(/[/#]/).findLast((part) => part !== '') ?? iri

/**
 * Findings of the search about values that it left out of the document. Findings about missing fields have no value and do not
 * count.
 */
const leftOutValues = (answer: Fields | undefined): readonly Fields[] =>
  listAt(answer, 'result.findings').filter((finding) => textAt(finding, 'value') !== undefined)

/**
 * Link to the table of left-out values on the quality page, with their number; nothing where there are none. `answer` is that of
 * the search to `/findings`.
 */
export function leftOutCount({ t, pathTo }: PageContext, id: string, answer?: Fields): HtmlContent {
  const { length: count } = leftOutValues(answer)
  const href = `${pathTo('datasets', id, 'quality')}#left-out`
  return count > 0 && html`<a href="${href}">${t('n-values-left-out', { count })}</a>`
}

type LeftOut = {
  readonly property: string | undefined
  readonly value: string | undefined
  readonly reason: string
}

/** Section with the values that the search left out, and the reasons; `linkOf` has the path of the page on which one is corrected. */
export function leftOutTable(
  context: PageContext,
  answer: Fields | undefined,
  linkOf: (value: LeftOut) => string | undefined = () => undefined,
): HtmlContent {
  const { t } = context
  const findings = leftOutValues(answer)
  if (findings.length === 0) return false
  const rows = findings.slice(0, mostLeftOut).map((finding) => {
    const property = textAt(finding, 'property')
    const name = property === undefined ? textAt(finding, 'field') : prefixedName(property)
    const [value, reason] = [textAt(finding, 'value'), textAt(finding, 'reason') ?? '']
    const href = linkOf({ property, value, reason })
    return [propertyName(name, href), html`<bdi>${value}</bdi>`, t(`reason-${reason}`)]
  })
  const omitted = findings.length - mostLeftOut
  const table = textTable(context, 'values-left-out', ['property', 'value', 'what-is-wrong'], rows)
  return pageSection(
    'left-out',
    t('values-left-out'),
    html`<p>${t('values-left-out-text')}</p>${table}${omitted > 0 && html`<p>${t('more-left-out', { count: omitted })}</p>`}`,
  )
}
