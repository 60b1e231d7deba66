/** Outcome of the last action of a person: that it was done, why it was refused, and which fields others had changed. */

import type { Failure } from '../../errors.ts'
import type { FormFields } from '../../http/form.ts'
import { shortNames } from '../../rdf/namespaces.ts'
import type { StewardContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import { notice } from '../parts/blocks.ts'
import { fieldLabel } from './form-controls.ts'
import { type Draft, fieldsOfModel } from './form-page.ts'

/** Form that is shown again: `error` is why it was refused, `answer` that of the repository where there is no other page. */
export type Posted = {
  readonly field: FormFields
  readonly error?: Failure
  readonly answer?: unknown
}

/** Kind of a failure → ending of the key of its message; what is none of these may work later. */
const refusals: Readonly<Record<string, string>> = {
  'precondition-failed': 'changed',
  'invalid-content': 'findings',
  conflict: 'state',
  'not-found': 'role',
  'unknown-resource': 'gone',
  'store-full': 'full',
}

/** Key of the text that says why an action was refused. */
export const refusalOf = ({ kind }: Failure, action: string): string =>
  `publish-refused-${kind === 'invalid-parameter' ? action : (refusals[kind] ?? 'later')}`

/**
 * Notice that the last action was done, or why it was refused. Where the revision of the `draft` was posted, it is the published
 * record that was changed meanwhile.
 */
export function outcome(
  { t, query, pathTo }: StewardContext,
  { field, error }: Partial<Posted> = {},
  draft?: Pick<Draft, 'type' | 'id' | 'revision'>,
): HtmlContent {
  const did = `publish-did-${query.get('did') ?? ''}`
  if (!field || !error)
    return !field && t(did) !== did && html`<div role="status">${notice('good', t(did))}</div>`
  const key = refusalOf(error, field('do'))
  const isMerge =
    error.kind === 'precondition-failed' && draft && field('revision') === draft.revision
  const text = t(isMerge ? 'publish-refused-merge' : key)
  const link =
    isMerge &&
    html` <a href="${pathTo('desk', draft.type, draft.id, 'merge')}">${t('merge-decide')}</a>`
  return html`<div role="alert">${notice('bad', t('publish-refused'), html`<p>${text}${link}</p>`)}</div>`
}

/** Notice about the fields that others had changed before the last action; the address names their properties. */
export function othersNotice(
  context: StewardContext,
  { type, id, model }: Pick<Draft, 'type' | 'id' | 'model'>,
): HtmlContent {
  const { t, query, pathTo } = context
  const others = new Set(query.get('others')?.split(' '))
  const isOther = (path: string) => others.has(shortNames().shorten(path) ?? path)
  const fields = fieldsOfModel(model).filter(({ path }) => path.some(isOther))
  if (fields.length === 0) return false
  const names = fields.map((field) => fieldLabel({ page: context }, field)).join(', ')
  return notice(
    'run',
    t('publish-others', { fields: names }),
    html`<p><a href="${pathTo('desk', type, id, 'history')}">${t('versions')}</a></p>`,
  )
}
