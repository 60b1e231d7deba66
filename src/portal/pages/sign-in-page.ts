/** Signing in with an API key or with the account of an institution. */

import type { PageContext } from '../context.ts'
import { html, icon } from '../html.ts'
import type { PageContent } from '../page.ts'
import { notice } from '../parts/blocks.ts'

/** `wrong` is the key of the text that says why the last try failed. */
export function signInPage({ t, config, pathTo }: PageContext, wrong?: string): PageContent {
  const refusal = wrong !== undefined && html`<div role="alert">${notice('bad', t(wrong))}</div>`
  const provider = html`<p class="row"><a class="button primary" rel="nofollow"
    href="${pathTo('sign-in', 'oidc')}">${icon('log-in')}${t('oidc-sign-in')}</a></p>`
  const form = html`<form method="post" action="${pathTo('sign-in')}" class="close">
    <input type="text" name="username" value="steward" autocomplete="username" hidden>
    <div class="field"><label for="key">${t('api-key')}</label>
      <input type="password" id="key" name="key" autocomplete="current-password" required aria-describedby="keyhint">
      <span class="hint" id="keyhint">${t('key-hint')}</span></div>
    <button class="button primary">${t('sign-in')}</button></form>`
  return {
    title: t('sign-in'),
    isIndexed: false,
    body: html`<div class="narrow"><h1>${t('sign-in')}</h1><p class="soft">${t('sign-in-lead')}</p>
      ${refusal} ${config.signIn.oidc && provider} ${config.signIn.key && form}</div>`,
  }
}

/** After the provider: goes on by itself, because a session is not sent on the way back from another site. */
export function signedInPage({ t, pathTo }: PageContext): PageContent {
  const next = pathTo('harvest')
  return {
    title: t('sign-in'),
    isIndexed: false,
    head: html`<meta http-equiv="refresh" content="0; url=${next}" />`,
    body: html`<div class="narrow"><h1>${t('oidc-done')}</h1><p><a href="${next}">${t('menu-harvest')}</a></p></div>`,
  }
}
