/** Questions in SPARQL: a form, examples, and the answer as a table. */

import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, safeAddress } from '../html.ts'
import type { PageContent } from '../page.ts'
import { pageSection } from '../parts/blocks.ts'
import { askPort, ServiceRefusal } from '../ports.ts'

type Example = { readonly title: string; readonly query: string }

const folder = new URL('../assets/examples/', import.meta.url)

/** The first line is the title. */
const examples: readonly Example[] = readdirSync(folder)
  .filter((name) => name.endsWith('.rq'))
  .sort()
  .map((name) => {
    const [first = '', ...rest] = readFileSync(new URL(name, folder), 'utf8').split('\n')
    return { title: first.replace(/^#\s*/, ''), query: rest.join('\n').trim() }
  })

/** Rows that are shown; the links below the table give all. */
const mostRows = 500
const longestQuery = 50_000

const term = z.object({ type: z.string(), value: z.string(), 'xml:lang': z.string().optional() })
const answer = z.object({
  head: z.object({ vars: z.array(z.string()).default([]) }).default({ vars: [] }),
  boolean: z.boolean().optional(),
  results: z.object({ bindings: z.array(z.record(z.string(), term)) }).optional(),
})

type Answer = z.output<typeof answer>
type Result =
  | { readonly answer: Answer; readonly ms: number }
  | { readonly problem: string }
  | { readonly text: string }

export async function sparqlPage(
  context: PageContext,
  parameters: URLSearchParams,
): Promise<PageContent> {
  const { t, root, pathTo } = context
  const given = parameters.get('query')?.slice(0, longestQuery)
  const query = given ?? examples[0]?.query ?? ''
  const result = given === undefined || given.trim() === '' ? undefined : await run(context, query)
  const links = examples.map(
    (one) =>
      html`<li> <a href="${pathTo('sparql')}?query=${encodeURIComponent(one.query)}" ${one.query === query && html` aria-current="true"`} >${one.title}</a>
        </li>`,
  )
  return {
    title: t('sparql-title'),
    section: 'sparql',
    isIndexed: given === undefined,
    body: html`<h1>${t('sparql-title')}</h1> <p class="prose close">${t('sparql-lead')}</p>
      <div class="editor section"> <form class="stack" action="${pathTo('sparql')}">
      <div class="field"> <label for="query">${t('query')}</label><textarea class="code" id="query" name="query" rows="13" spellcheck="false" autocapitalize="off">${query}</textarea>
      </div> <p class="row"> <button class="button primary">${icon('play')} ${t('run-query')}</button> </p>
      </form> <aside aria-label="${t('examples')}"> <h2 class="label">${t('examples')}</h2>
      <ul class="examples small" role="list"> ${links} </ul> </aside> </div>
      ${result && shownResult(context, query, result)} <p class="soft small close">${t('sparql-programs')}
      <code>${root}sparql</code></p>`,
  }
}

/** Formats of whole answers by the ending of their address. */
const endings: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/sparql-results+json',
  xml: 'application/sparql-results+xml',
}

/** The answer of the service as it is, in the format of an ending; `undefined` for other endings. */
export async function sparqlFile(
  { ports, signal }: PageContext,
  ending: string,
  query: string,
): Promise<Response | undefined> {
  const accept = endings[ending]
  if (accept === undefined) return undefined
  const headers = { 'Content-Type': 'application/sparql-query', Accept: accept }
  return askPort(ports.sparql, '', {
    method: 'POST',
    headers,
    body: query.slice(0, longestQuery),
    signal,
  })
}

/** What the service answers; what is wrong with the query is no error of the page. */
async function run({ ports, signal }: PageContext, query: string): Promise<Result> {
  const started = performance.now()
  const reply = await askPort(ports.sparql, '', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/sparql-query',
      Accept: 'application/sparql-results+json, text/turtle;q=0.9',
    },
    body: query,
    signal,
  })
  if (!reply.ok) {
    const body: unknown = await reply.json().catch(() => ({}))
    const { detail } = z.object({ detail: z.string().optional() }).parse(body)
    if (reply.status >= 500) throw new ServiceRefusal(reply.status, { detail })
    return { problem: detail ?? `${reply.status}` }
  }
  const text = await reply.text()
  if (!reply.headers.get('Content-Type')?.includes('json')) return { text: text.slice(0, 200_000) }
  return { answer: answer.parse(jsonOf(text)), ms: Math.round(performance.now() - started) }
}

/** Throws `store-unavailable`: an answer that breaks off is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('store-unavailable', 'A service does not answer.', { cause, retryAfter: 5 })
  }
}

function shownResult(context: PageContext, query: string, result: Result): HtmlMarkup {
  const { t, pathTo } = context
  if ('problem' in result)
    return html`<div class="close"> <div class="notice bad"> ${icon('circle-x')} <div>
      <h2>${t('query-refused')}</h2> <p><bdi>${result.problem}</bdi></p> </div> </div> </div>`
  if ('text' in result)
    return pageSection(
      'res',
      t('result'),
      html`<pre tabindex="0" aria-label="${t('result')}"><code>${result.text}</code></pre>`,
    )
  const { head, boolean, results } = result.answer
  if (boolean !== undefined)
    return pageSection('res', t('result'), html`<p>${t(boolean ? 'ask-yes' : 'ask-no')}</p>`)
  const rows = results?.bindings ?? []
  const address = (format: string) =>
    `${pathTo(`sparql.${format}`)}?query=${encodeURIComponent(query)}`
  const cells = rows
    .slice(0, mostRows)
    .map((row) => html`<tr> ${head.vars.map((name) => cell(row[name]))} </tr>`)
  return html`<section class="section" aria-labelledby="res"> <div class="section-head">
    <h2 id="res">${t('n-rows', { count: rows.length })}</h2> <p class="formats">
    <span class="soft">${result.ms} ms</span><a href="${address('csv')}">CSV</a><a href="${address('json')}">JSON</a>
      <a href="${pathTo('sparql')}?query=${encodeURIComponent(query)}">${t('link-to-query')}</a></p> </div> <div class="scroll" tabindex="0" role="group" aria-labelledby="res"> <table class="table grid-lines"> <thead> <tr> ${head.vars.map((name) => html`<th scope="col">${name}</th>`)} </tr> </thead> <tbody> ${cells} </tbody> </table> </div> ${rows.length > mostRows && html`<p class="soft small">${t('first-rows', { count: mostRows })}</p>`} </section>`
}

function cell(value: z.output<typeof term> | undefined): HtmlContent {
  if (!value) return html`<td></td>`
  const address = value.type === 'uri' ? safeAddress(value.value) : undefined
  const isNumber = value.type !== 'uri' && /^-?\d+(?:\.\d+)?$/.test(value.value)
  const language = value['xml:lang']
  const text = value.value.slice(0, 1000)
  const inner =
    address === undefined ? html`<bdi>${text}</bdi>` : html`<a href="${address}">${text}</a>`
  return html`<td${isNumber && html` class="num"`}>${inner}${language !== undefined && html` <span class="lang">${language}</span>`}</td>`
}
