/** The pages as the holder of a key gets them. */

import type { Gateway } from '../support/gateway.ts'

export async function signedIn({ url }: Pick<Gateway, 'url'>, key: string) {
  const signIn = await fetch(`${url}/en/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ key }),
    redirect: 'manual',
  })
  const cookie = signIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const headers = { Accept: 'text/html', Cookie: cookie }
  const get = (path: string) => fetch(url + path, { headers, redirect: 'manual' })
  const page = async (path: string) => (await get(path)).text()
  const post = async (path: string, fields: Readonly<Record<string, string>>) => {
    const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec(await page('/en/harvest')) ?? []
    const body = new URLSearchParams({ _csrf: token, ...fields })
    return fetch(url + path, { method: 'POST', headers, body, redirect: 'manual' })
  }
  return { get, page, post, headers }
}

/** Function that signs the holder of a key in once, however often it is called. */
export function signedInOnce(platform: () => Pick<Gateway, 'url'>) {
  const people = new Map<string, ReturnType<typeof signedIn>>()
  return (key: string) => {
    const person = people.get(key) ?? signedIn(platform(), key)
    people.set(key, person)
    return person
  }
}
