/** Signing in with an API key. */

import { html, icon, type HtmlContent } from '../html.ts'
import { pathTo, type PageContent, type PageContext } from '../page.ts'

/** `wrong` says why the last try failed. */
export function signInPage(context: PageContext, wrong?: string): PageContent {
  const { t } = context
  const notice: HtmlContent =
    wrong !== undefined &&
    html`<div class="notice bad" role="alert">${icon('circle-x')}<div><p>${wrong}</p></div></div>`
  return {
    title: t('sign-in'),
    isIndexed: false,
    body: html`<div class="narrow"><h1>${t('sign-in')}</h1><p class="soft">${t('sign-in-lead')}</p>${notice} <form method="post" action="${pathTo(context, 'sign-in')}" class="close"><input type="text" name="username" value="steward" autocomplete="username" hidden><div class="field"><label for="key">${t('api-key')}</label><input type="password" id="key" name="key" autocomplete="current-password" required aria-describedby="keyhint"><span class="hint" id="keyhint">${t('key-hint')}</span></div><button class="button primary">${t('sign-in')}</button></form></div>`,
  }
}
