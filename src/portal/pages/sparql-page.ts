/** Page of SPARQL queries: a form, example queries, and the result as a table. */

import { Failure } from '../../errors.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { type Fields, listed, textOr, valueAt } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, icon, linkTo } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { headedSection, codeListing, notice, pageSection } from '../parts/blocks.ts'
import { gridTable } from '../parts/table.ts'
import { askPort } from '../ports.ts'
import { fieldsAt, listAt } from '../record.ts'

const folder = new URL('../assets/examples/', import.meta.url)

/** Example queries; the first lines of each file are its titles: `# en: …`. */
const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.rq'))
  .sort()
  .map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    const titles = [...text.matchAll(/^# ([a-z]{2}): (.*)$/gm)].map(([, language, title]) => {
      return [language, title] as const
    })
    const query = text.replaceAll(/^# [a-z]{2}: .*\n/gm, '').trim()
    return { titles: Object.fromEntries(titles), query }
  })

/** Most rows of the table; links lead to the complete result. */
const mostRows = 500
/** Most characters of a query, of an answer that is no table, and of a value; longer ones are cut. */
const [longestQuery, longestText, longestValue] = [50_000, 200_000, 1000]

/** Page with the form and, where the request has a query, its result. Rejects with `Failure`. */
export async function sparqlPage(context: PageContext): Promise<PageContent> {
  const { t, root, pathTo, configuredText } = context
  const sentQuery = context.query.get('query')?.slice(0, longestQuery)
  const query = sentQuery ?? examples[0]?.query ?? ''
  const isSent = sentQuery !== undefined && sentQuery.trim() !== ''
  const links = examples.map((example) => {
    const current = example.query === query && html` aria-current="true"`
    return html`<li><a href="${addressOf(context, 'sparql', example.query)}"${current}>${configuredText(example.titles)}</a></li>`
  })
  return {
    title: t('sparql-title'),
    section: 'sparql',
    isIndexed: sentQuery === undefined,
    body: html`<h1>${t('sparql-title')}</h1><p class="prose close">${t('sparql-lead')}</p>
      <div class="editor section"><form class="stack" action="${pathTo('sparql')}">
      <div class="field"><label for="query">${t('query')}</label>
      <textarea class="code" id="query" name="query" rows="13" spellcheck="false" autocapitalize="off">${query}</textarea></div>
      <p class="row"><button class="button primary">${icon('play')} ${t('run-query')}</button></p></form>
      <aside aria-label="${t('examples')}"><h2 class="label">${t('examples')}</h2>
      <ul class="examples small" role="list">${links}</ul></aside></div>
      ${isSent && (await outcome(context, query))}
      <p class="soft small close">${t('sparql-programs')} <code>${root}sparql</code></p>`,
  }
}

const addressOf = ({ pathTo }: PageContext, page: string, query: string): string =>
  `${pathTo(page)}?query=${encodeURIComponent(query)}`

/** Ending of the address of a complete result → media type. */
const endings: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/sparql-results+json',
  xml: 'application/sparql-results+xml',
}

const queryRequest = (accept: string, query: string, signal: AbortSignal) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/sparql-query', Accept: accept },
  body: query,
  signal,
})

/** Complete result of a query in the format of an ending; `undefined` for an unknown ending. Rejects with `store-unavailable`. */
export async function sparqlFile(
  { ports, signal }: PageContext,
  ending: string,
  query: string,
): Promise<Response | undefined> {
  const accept = endings[ending]
  if (accept === undefined) return undefined
  return askPort(ports.sparql, '', queryRequest(accept, query.slice(0, longestQuery), signal))
}

/** Section with the result of a query, or with the reason why the service refused it. Rejects with `store-unavailable`. */
async function outcome(context: PageContext, query: string): Promise<HtmlContent> {
  const { t, signal, ask } = context
  const started = performance.now()
  try {
    const accept = `${endings['json']}, text/turtle;q=0.9`
    const answer = await ask('sparql', '', queryRequest(accept, query, signal))
    if (typeof answer !== 'string')
      return resultOf(context, query, answer, performance.now() - started)
    const text = answer.slice(0, longestText)
    const rdf = html`<pre tabindex="0" aria-label="${t('result')}"><code>${text}</code></pre>`
    return pageSection('res', t('result'), rdf)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'store-unavailable') throw error
    const lines = error.errors.flatMap(({ line }) => line ?? [])
    const place = lines.length > 0 && codeListing(t('query'), query, lines)
    return notice('bad', t('query-refused'), html`<p><bdi>${error.detail}</bdi></p>${place}`)
  }
}

/** Section with a result in SPARQL 1.1 Query Results JSON: yes or no, or a table; `ms` is the time of the query. */
function resultOf(context: PageContext, query: string, answer: unknown, ms: number): HtmlContent {
  const { t } = context
  const isTrue = valueAt(answer, 'boolean')
  if (typeof isTrue === 'boolean')
    return pageSection('res', t('result'), html`<p>${t(isTrue ? 'ask-yes' : 'ask-no')}</p>`)
  const names = listed(valueAt(answer, 'head.vars')).flatMap((name) => textOr(name) ?? [])
  const rows = listAt(answer, 'results.bindings')
  const cells = rows.slice(0, mostRows).map((row) => names.map((name) => cellOf(row, name)))
  const links = html`<p class="formats"><span class="soft">${Math.round(ms)} ms</span>
    <a href="${addressOf(context, 'sparql.csv', query)}">CSV</a><a href="${addressOf(context, 'sparql.json', query)}">JSON</a>
    <a href="${addressOf(context, 'sparql', query)}">${t('link-to-query')}</a></p>`
  return headedSection('res', t('n-rows', { count: rows.length }), links, [
    gridTable(t('result'), names, cells),
    rows.length > mostRows &&
      html`<p class="soft small">${t('first-rows', { count: mostRows })}</p>`,
  ])
}

function cellOf(row: Fields, name: string) {
  const { type, value, 'xml:lang': language } = fieldsAt(row, name)
  const text = (textOr(value) ?? '').slice(0, longestValue)
  const content = type === 'uri' ? linkTo(value, text) : html`<bdi>${text}</bdi>`
  const tag = language !== undefined && html` <span class="lang">${textOr(language)}</span>`
  return { text, content: html`${content}${tag}` }
}
