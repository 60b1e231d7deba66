/** What stewards see: sources with their last results, runs, removals that wait, and what they can do about each. */

import type { Fields } from '../../text/json.ts'
import {
  html,
  icon,
  joined,
  linkTo,
  safeAddress,
  type HtmlContent,
  type HtmlMarkup,
} from '../html.ts'
import { crumbs, pathTo, pageSection, type PageContent, type PageContext } from '../page.ts'
import { askJson } from '../ports.ts'
import { memberFields, listed, textOr } from '../record.ts'

const [mostRuns, mostItems] = [100, 200]
const countNames = [
  'offered',
  'created',
  'updated',
  'unchanged',
  'failed',
  'removed',
  'held',
] as const
const signs = {
  good: 'circle-check',
  bad: 'circle-x',
  warn: 'triangle-alert',
  idle: 'circle-dashed',
  run: 'refresh-cw',
} as const
type Sign = keyof typeof signs

/** The scheduler's answer, asked with the rights of the process: who may see it was decided before. */
function ask({ ports, signal }: PageContext, path: string): Promise<unknown> {
  const { scheduler, authority } = ports
  if (!scheduler || !authority) throw new Error('no scheduler')
  return askJson(scheduler, path, { signal, headers: authority() })
}

const counts = (run: Fields): Fields => memberFields(run['counts'])
const number = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** How a run ended, in a word, with a sign. */
function stateOf(
  { t }: PageContext,
  run: Fields | undefined,
): { readonly sign: Sign; readonly label: string; readonly rank: number } {
  const status = textOr(run?.['status'])
  const outcome = textOr(run?.['outcome'])
  if (!run) return { sign: 'idle', label: t('run-never'), rank: 4 }
  if (status === 'failed' || outcome === 'failed')
    return { sign: 'bad', label: t('run-failed'), rank: 0 }
  if (number(counts(run)['held']) > 0) return { sign: 'warn', label: t('run-held'), rank: 1 }
  if (status === 'running' || status === 'queued')
    return { sign: 'run', label: t(`run-${status}`), rank: 3 }
  if (status !== 'finished') return { sign: 'warn', label: t(`run-${status}`), rank: 2 }
  return outcome === 'incomplete'
    ? { sign: 'warn', label: t('run-incomplete'), rank: 2 }
    : { sign: 'good', label: t('run-complete'), rank: 5 }
}

const stateMark = (context: PageContext, run: Fields | undefined): HtmlMarkup => {
  const { sign, label } = stateOf(context, run)
  return html`<span class="state ${sign}">${icon(signs[sign])} ${label}</span>`
}

/** What went wrong, in words of ours for its kind. */
function causeOf({ t }: PageContext, problem: unknown): string | undefined {
  const { type, title, detail } = memberFields(problem)
  const slug = textOr(type)?.split(':').at(-1)
  if (slug === undefined) return textOr(detail) ?? textOr(title)
  const known = t(`cause-${slug}`)
  return known === `cause-${slug}` ? (textOr(detail) ?? textOr(title)) : known
}

const styles: Readonly<Record<string, string>> = { cancel: 'danger', dry: 'quiet' }

/** A button that does something: a form with the token of the session. */
export const actionForm = (
  context: PageContext,
  path: string,
  name: string,
  label: HtmlContent,
): HtmlMarkup =>
  html`<form class="row" method="post" action="${path}"><input type="hidden" name="_csrf" value="${context.steward?.token}"><button class="button small ${styles[name]}" name="do" value="${name}">${label}</button></form>`

export function stewardMenu(context: PageContext, current: 'sources' | 'deleted'): HtmlMarkup {
  const { t } = context
  const entry = (key: typeof current, step: readonly string[]) =>
    html`<li><a href="${pathTo(context, ...step)}"${key === current && html` aria-current="page"`}>${t(`steward-${key}`)}</a></li>`
  return html`<nav class="steward" aria-label="${t('steward-pages')}"><ul role="list">${entry('sources', ['harvest'])}${entry('deleted', ['harvest', 'deleted'])}<li><form method="post" action="${pathTo(context, 'sign-out')}"><input type="hidden" name="_csrf" value="${context.steward?.token}"><button>${t('sign-out')}</button></form></li></ul></nav>`
}

export const stewardFrame = (
  title: string,
  body: HtmlContent,
  head?: HtmlContent,
): PageContent => ({
  title,
  section: 'harvest',
  isIndexed: false,
  body,
  head,
})

/** Pipes with their last runs, worst first. */
export async function sourcesPage(context: PageContext): Promise<PageContent> {
  const { t, formats } = context
  const [pipes, runs, triggers] = await Promise.all([
    ask(context, '/pipes'),
    ask(context, `/runs?limit=${mostRuns}`),
    ask(context, '/triggers'),
  ])
  const newest = new Map(
    listed(runs)
      .map(memberFields)
      .toReversed()
      .map((run) => [textOr(run['pipe']) ?? '', run]),
  )
  const all = listed(pipes)
    .map(memberFields)
    .map((pipe) => ({ pipe, run: newest.get(textOr(pipe['name']) ?? '') }))
  const sorted = all.toSorted((a, b) => stateOf(context, a.run).rank - stateOf(context, b.run).rank)
  const rows = sorted.map(({ pipe, run }) => {
    const name = textOr(pipe['name']) ?? ''
    const next = listed(memberFields(triggers)[name])
      .map((one) => textOr(memberFields(one)['next']))
      .find((one) => one !== undefined)
    const cause =
      causeOf(context, run?.['problem']) ??
      listed(pipe['problems']).map((one) => textOr(memberFields(one)['detail']))[0]
    const cells = (['offered', 'created', 'updated', 'failed'] as const).map(
      (key) =>
        html`<td role="cell" class="num" data-label="${t(`count-${key}`)}">${formats.number(number(run && counts(run)[key]))}</td>`,
    )
    return html`<tr role="row"><th scope="row" role="rowheader" class="wide"><a href="${pathTo(context, 'harvest', 'pipes', name)}">${textOr(pipe['title']) ?? name}</a><br><span class="soft small">${name}</span></th><td role="cell" class="wide">${stateMark(context, run)}${cause !== undefined && html`<br><span class="small soft"><bdi>${cause}</bdi></span>`}</td>${cells}<td role="cell" class="wide" data-label="${t('started')}">${run ? html`<a href="${pathTo(context, 'harvest', 'runs', textOr(run['id']) ?? '')}">${formats.moment(run['startTime'] ?? run['created'])}</a>` : '–'}</td><td role="cell" class="wide" data-label="${t('next-start')}">${formats.moment(next) ?? html`<span class="soft">${t('by-hand')}</span>`}</td><td role="cell" class="wide">${actionForm(context, pathTo(context, 'harvest', 'pipes', name), 'run', html`${icon('play')} ${t('run')}<span class="vh"> ${name}</span>`)}${actionForm(context, pathTo(context, 'harvest', 'pipes', name), 'dry', html`${t('dry-run')}<span class="vh"> ${name}</span>`)}</td></tr>`
  })
  const heads = [
    'source',
    'last-result',
    'count-offered',
    'count-created',
    'count-updated',
    'count-failed',
    'started',
    'next-start',
  ]
  const head = heads.map(
    (key) =>
      html`<th scope="col" role="columnheader"${key.startsWith('count') && html` class="num"`}>${t(key)}</th>`,
  )
  return stewardFrame(
    t('steward-sources'),
    html`${stewardMenu(context, 'sources')}<h1>${t('steward-sources')}</h1>${rows.length === 0 ? html`<p class="close">${t('no-pipes')}</p>` : html`<div class="scroll close" tabindex="0" role="group" aria-label="${t('steward-sources')}"><table role="table" class="table stacks"><thead role="rowgroup"><tr role="row">${head}<th scope="col" role="columnheader"><span class="vh">${t('actions')}</span></th></tr></thead><tbody role="rowgroup">${rows}</tbody></table></div>`}`,
  )
}

/** Runs of one pipe, its triggers and its document. */
export async function pipePage(context: PageContext, name: string): Promise<PageContent> {
  const { t, formats } = context
  const path = encodeURIComponent(name)
  const [pipe, runs, triggers] = await Promise.all([
    ask(context, `/pipes/${path}`),
    ask(context, `/runs?pipe=${path}&limit=30`),
    ask(context, `/triggers/${path}`).catch(() => []),
  ])
  const rows = listed(runs)
    .map(memberFields)
    .map(
      (run) =>
        html`<tr><th scope="row"><a href="${pathTo(context, 'harvest', 'runs', textOr(run['id']) ?? '')}">${formats.moment(run['startTime'] ?? run['created'])}</a></th><td>${stateMark(context, run)}</td>${countNames.map((key) => html`<td class="num">${formats.number(number(counts(run)[key]))}</td>`)}</tr>`,
    )
  const title = textOr(memberFields(memberFields(pipe)['header'])['title']) ?? name
  const self = pathTo(context, 'harvest', 'pipes', name)
  return stewardFrame(
    title,
    html`${stewardMenu(context, 'sources')}${crumbs(context, [{ href: pathTo(context, 'harvest'), label: t('steward-sources') }])}<div class="section-head"><h1>${title}</h1><div class="row">${actionForm(context, self, 'run', html`${icon('play')} ${t('run')}`)}${actionForm(context, self, 'dry', t('dry-run'))}</div></div> ${pageSection('runs', t('runs'), html`<div class="scroll" tabindex="0" role="group" aria-labelledby="runs"><table class="table"><thead><tr><th scope="col">${t('started')}</th><th scope="col">${t('last-result')}</th>${countNames.map((key) => html`<th scope="col" class="num">${t(`count-${key}`)}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`)} ${pageSection(
      'triggers',
      t('triggers'),
      listed(triggers).length === 0
        ? html`<p>${t('by-hand')}</p>`
        : html`<ul>${listed(triggers)
            .map(memberFields)
            .map(
              (one) =>
                html`<li><code>${textOr(one['id'])}</code> ${textOr(one['status'])} ${textOr(one['cron']) ?? ''} ${formats.moment(one['next'])}</li>`,
            )}</ul>`,
    )} ${pageSection('document', t('pipe-document'), html`<pre tabindex="0" aria-label="${t('pipe-document')}"><code>${JSON.stringify(pipe, undefined, 2)}</code></pre>`)}`,
  )
}

/** One run: counts, what its outcome means, its problems in groups, its records. */
export async function runPage(context: PageContext, id: string): Promise<PageContent> {
  const { t, formats } = context
  const path = `/runs/${encodeURIComponent(id)}`
  const [whole, failed, changed, held] = await Promise.all([
    ask(context, `${path}/report`),
    ask(context, `${path}/items?state=failed&limit=${mostItems}`),
    ask(context, `${path}/items?state=updated&limit=50`),
    ask(context, `${path}/items?state=held&limit=${mostItems}`),
  ])
  const report = memberFields(whole)
  const run = memberFields(report['run'])
  const pipe = textOr(run['pipe']) ?? ''
  const isActive = ['running', 'queued'].includes(textOr(run['status']) ?? '')
  const self = pathTo(context, 'harvest', 'runs', id)
  const failures = number(counts(run)['failed'])
  const buttons = [
    isActive && actionForm(context, self, 'cancel', t('cancel-run')),
    !isActive &&
      failures > 0 &&
      actionForm(
        context,
        self,
        'retry',
        html`${icon('rotate-ccw')} ${t('retry-n', { count: failures })}`,
      ),
    textOr(run['status']) === 'interrupted' && actionForm(context, self, 'resume', t('resume')),
  ]
  return stewardFrame(
    t('run-of', { pipe }),
    html`${stewardMenu(context, 'sources')}${crumbs(context, [
      { href: pathTo(context, 'harvest'), label: t('steward-sources') },
      { href: pathTo(context, 'harvest', 'pipes', pipe), label: pipe },
    ])}<div class="section-head"><h1>${t('run-of', { pipe })}</h1><div class="row">${buttons}</div></div> <p class="soft">${formats.moment(run['startTime'] ?? run['created'])} · ${t(`by-${textOr(run['startedBy']) ?? 'api'}`)} ${stateMark(context, run)}</p> ${isActive && progress(context, run)} <dl class="counts close">${countNames.map((key) => html`<div class="${key === 'failed' && failures > 0 && 'bad'}"><dt>${t(`count-${key}`)}</dt><dd>${formats.number(number(counts(run)[key]))}</dd></div>`)}</dl> ${meaning(context, run)} ${heldForm(context, id, run, listed(held).map(memberFields))} ${problemGroups(context, listed(failed).map(memberFields))} ${leftOut(context, report)} ${changedRecords(context, listed(changed).map(memberFields))} ${requests(context, report)}`,
    isActive && html`<noscript><meta http-equiv="refresh" content="5"></noscript>`,
  )
}

function progress({ t, formats }: PageContext, run: Fields): HtmlMarkup {
  const { total } = memberFields(run['progress'])
  const all = number(total)
  const done = (
    ['created', 'updated', 'unchanged', 'skipped', 'failed', 'refused', 'duplicate'] as const
  ).reduce((sum, key) => sum + number(counts(run)[key]), 0)
  return html`<div class="close stack" data-live="5000"><p role="status"><strong>${all > 0 ? t('n-of-records', { done: formats.number(done), total: formats.number(all) }) : t('n-records', { count: done })}</strong></p><label class="vh" for="p">${t('progress')}</label><progress id="p"${all > 0 && html` value="${done}" max="${all}"`}></progress></div>`
}

/** What the outcome means for the records of the source. */
function meaning(context: PageContext, run: Fields): HtmlContent {
  const { t } = context
  const cause = causeOf(context, run['problem'])
  const outcome = textOr(run['outcome'])
  if (cause === undefined && outcome !== 'incomplete') return false
  const sign = stateOf(context, run).sign === 'bad' ? 'bad' : 'warn'
  return html`<div class="close"><div class="notice ${sign}">${icon(signs[sign])}<div><h2>${t(outcome === 'incomplete' ? 'incomplete-means' : 'failed-means')}</h2>${cause !== undefined && html`<p><bdi>${cause}</bdi></p>`}</div></div></div>`
}

function heldForm(
  context: PageContext,
  id: string,
  run: Fields,
  items: readonly Fields[],
): HtmlContent {
  const { t } = context
  const count = number(counts(run)['held'])
  if (count === 0) return false
  const rows = items.map(
    (item) =>
      html`<tr><th scope="row">${recordLink(context, item)}</th><td><code>${textOr(item['originalId'])}</code></td></tr>`,
  )
  return html`<div class="close"><div class="notice warn">${icon('triangle-alert')}<div><h2>${t('held-title', { count })}</h2><p>${t('held-text')}</p></div></div></div> <form class="section" method="post" action="${pathTo(context, 'harvest', 'runs', id)}"><input type="hidden" name="_csrf" value="${context.steward?.token}"><h2>${t('held-records')}</h2><div class="scroll close" tabindex="0" role="group" aria-label="${t('held-records')}"><table class="table"><thead><tr><th scope="col">${t('record')}</th><th scope="col">${t('source-id')}</th></tr></thead><tbody>${rows}</tbody></table></div> <div class="stack close prose"><p><label class="check"><input type="checkbox" name="sure" value="yes" required><span>${t('held-sure', { count })}</span></label></p><p class="row"><button class="button danger" name="do" value="confirm">${icon('trash-2')} ${t('remove-n', { count })}</button></p><p class="hint">${t('held-hint')}</p></div></form>`
}

const recordLink = (context: PageContext, item: Fields): HtmlContent => {
  const title =
    textOr(item['title']) ??
    textOr(item['originalId']) ??
    textOr(item['sourceId']) ??
    context.t('untitled')
  const id = textOr(item['platformId'])
  return id === undefined
    ? html`<bdi>${title}</bdi>`
    : html`<a href="${pathTo(context, 'datasets', id)}">${title}</a>`
}

/** Failed records by the kind of their problem. */
function problemGroups(context: PageContext, items: readonly Fields[]): HtmlContent {
  const { t } = context
  if (items.length === 0) return false
  const groups = Map.groupBy(
    items,
    (item) => textOr(memberFields(item['problem'])['type'])?.split(':').at(-1) ?? '',
  )
  const details = [...groups].map(([, own]) => {
    const [first] = own
    const rows = own.map((item) => {
      const { detail, errors } = memberFields(item['problem'])
      const place = memberFields(listed(errors)[0])
      const line = place['line'] === undefined ? '' : t('line-n', { line: number(place['line']) })
      return html`<tr><th scope="row">${recordLink(context, item)}</th><td>${textOr(item['stage'])}</td><td><bdi>${textOr(place['detail']) ?? textOr(detail)}</bdi> ${line}</td></tr>`
    })
    return html`<details class="group" open><summary>${causeOf(context, first?.['problem']) ?? t('problem')} <span class="n">${t('n-records', { count: own.length })}</span>${icon('chevron-down')}</summary><div class="scroll" tabindex="0" role="group" aria-label="${t('problems')}"><table class="table"><thead><tr><th scope="col">${t('record')}</th><th scope="col">${t('step')}</th><th scope="col">${t('what-is-wrong')}</th></tr></thead><tbody>${rows}</tbody></table></div></details>`
  })
  return pageSection('problems', t('problems'), details)
}

/** Values that were not understood and so not taken over, by kind, with the first records of each. */
function leftOut(context: PageContext, report: Fields): HtmlContent {
  const { t } = context
  const groups = Object.entries(memberFields(report['findings']))
  if (groups.length === 0) return false
  const rows = groups.flatMap(([slug, group]) => {
    const { count, examples } = memberFields(group)
    return listed(examples)
      .map(memberFields)
      .map((example, at) => {
        const first = html`<th scope="rowgroup" rowspan="${listed(examples).length}"><code>${slug}</code> <span class="soft">${t('n-records', { count: number(count) })}</span></th>`
        const record = { platformId: undefined, originalId: example['id'] }
        return html`<tr>${at === 0 && first}<td>${recordLink(context, record)}</td><td><bdi>${textOr(example['detail'])}</bdi></td></tr>`
      })
  })
  return pageSection(
    'left-out',
    t('left-out'),
    html`<div class="scroll close" tabindex="0" role="group" aria-labelledby="left-out"><table class="table"><thead><tr><th scope="col">${t('kind')}</th><th scope="col">${t('record')}</th><th scope="col">${t('what-is-wrong')}</th></tr></thead><tbody>${rows}</tbody></table></div>`,
  )
}

function changedRecords(context: PageContext, items: readonly Fields[]): HtmlContent {
  const { t } = context
  if (items.length === 0) return false
  const parts = items.map((item) => {
    const { gone, come } = memberFields(item['difference'])
    const lines = [
      ...listed(gone).map(
        (one) =>
          html`<div class="gone"><span class="sign" aria-label="${t('removed')}">−</span><del>${textOr(one)}</del></div>`,
      ),
      ...listed(come).map(
        (one) =>
          html`<div class="come"><span class="sign" aria-label="${t('added')}">+</span><ins>${textOr(one)}</ins></div>`,
      ),
    ]
    const source = safeAddress(item['sourceId'])
    return html`<li><h3>${recordLink(context, item)}</h3>${source !== undefined && html`<p>${linkTo(source, html`<code>${source}</code>`)}</p>`}${lines.length > 0 && html`<div class="diff close" tabindex="0" role="group" aria-label="${t('changes')}">${lines}</div>`}</li>`
  })
  return pageSection(
    'recs',
    t('changed-records'),
    html`<ul class="entries" role="list">${parts}</ul>`,
  )
}

function requests(context: PageContext, report: Fields): HtmlContent {
  const hosts = Object.entries(memberFields(report['requests']))
  if (hosts.length === 0) return false
  const rows = hosts.map(
    ([host, statuses]) =>
      html`<div><dt>${host}</dt><dd>${joined(
        Object.entries(memberFields(statuses)).map(
          ([status, times]) => `${status}: ${String(times)}`,
        ),
        ', ',
      )}</dd></div>`,
  )
  return pageSection('requests', context.t('requests'), html`<dl class="pairs">${rows}</dl>`)
}
