/** Frame of the pages of the desk: private, with a style sheet of their own. */

import type { StewardContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import type { PageContent } from '../layout.ts'

type DeskContent = { readonly title: string; readonly body: HtmlContent }

/** Makes a page of the desk; search engines do not index it. */
export const deskFrame = (
  { base, assets }: StewardContext,
  { title, body }: DeskContent,
): PageContent => ({
  title,
  section: 'harvest',
  isIndexed: false,
  head: html`<link rel="stylesheet" href="${base}${assets.path('desk.css')}" />`,
  body,
})
