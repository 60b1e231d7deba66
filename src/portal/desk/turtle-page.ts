/** Page of a draft as Turtle, for experts; a text with an error is shown again with the line of the error. */

import { textOr } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { sessionForm } from '../pages/steward/steward-parts.ts'
import { breadcrumbs, codeListing, notice } from '../parts/blocks.ts'
import { outcome, type Posted } from './outcome.ts'
import { deskFrame } from './desk-frame.ts'
import { draftPath, isPublishedOnly, repositoryPath } from './drafts.ts'
import { type Draft, formPath } from './form-page.ts'

/** Page of the text. The draft is read before the text, so that the revision is never newer than the text. */
export async function turtlePage(
  context: StewardContext,
  draft: Draft,
  posted?: Posted,
): Promise<PageContent> {
  const { t, ask } = context
  const headers = { Accept: 'text/turtle' }
  const path = isPublishedOnly(draft) ? repositoryPath(draft) : draftPath(draft)
  const text = posted?.field('rdf') ?? textOr(await ask('deskRepository', path, { headers })) ?? ''
  const to = (step: string) => formPath({ context, draft }, step)
  const title = draft.title || t('untitled')
  const body = html`<input type="hidden" name="revision" value="${posted?.field('revision') ?? draft.revision}">
    <div class="field"><label for="rdf">Turtle</label><textarea class="code" id="rdf" name="rdf" rows="24" spellcheck="false">
${text}</textarea></div><p class="row"><button class="button primary" name="do" value="save">${t('turtle-save')}</button><a class="button quiet" href="${to('check')}">${t('form-check')}</a></p>`
  return deskFrame(context, {
    title: `Turtle: ${title}`,
    body: html`${breadcrumbs(context, { href: to('check'), label: title })}<h1>Turtle: ${title}</h1><p class="soft">${t('turtle-hint')}</p>
      ${posted?.error && refusal(context, posted, text, to('turtle'))}${sessionForm(context, to('turtle'), body, 'stack close')}`,
  })
}

/** Reason why a text was not saved: what is wrong with it and in which line, or that the draft was changed meanwhile. */
function refusal(
  context: StewardContext,
  posted: Posted,
  text: string,
  present: string,
): HtmlContent {
  const { t } = context
  const { kind = 'internal', detail: whole = '', errors = [] } = posted.error ?? {}
  if (!/^(?:malformed|invalid|missing|ambiguous|too|empty)-/.test(kind))
    return [
      outcome(context, posted),
      html`<p class="close"><a href="${present}">${t('turtle-now')}</a></p>`,
    ]
  const { line, column = 1, detail } = { detail: whole, ...errors[0] }
  const heading = html`${t('syntax-error')} ${line !== undefined && t('at-line', { line, column })}`
  return [
    html`<div role="alert">${notice('bad', heading, html`<p lang="en"><bdi>${detail}</bdi></p>`)}</div>`,
    line !== undefined && codeListing(t('where-it-is'), text, [line]),
  ]
}
