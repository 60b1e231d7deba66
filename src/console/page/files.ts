/** The files of the console's page, read from disk: nothing comes from the internet. */

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

export type PageFile = {
  readonly name: string
  readonly type: string
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>
}

const require = createRequire(import.meta.url)
const own = (name: string) => () => readFile(new URL(name, import.meta.url))
const terminal = (path: string) => () => readFile(path)

/** The page itself; styles with this nonce (Content Security Policy 3, 2.3.1) are its own. */
export async function readPage(nonce: string): Promise<string> {
  const text = await readFile(new URL('shell.html', import.meta.url), 'utf8')
  return text.replace('{nonce}', nonce)
}

/** What the page needs. */
export const pageFiles: readonly PageFile[] = [
  { name: 'shell.js', type: 'text/javascript; charset=utf-8', read: own('shell.js') },
  { name: 'line.js', type: 'text/javascript; charset=utf-8', read: own('line.js') },
  { name: 'past.js', type: 'text/javascript; charset=utf-8', read: own('past.js') },
  { name: 'shell.css', type: 'text/css; charset=utf-8', read: own('shell.css') },
  {
    name: 'xterm.mjs',
    type: 'text/javascript; charset=utf-8',
    read: terminal(require.resolve('@xterm/xterm/lib/xterm.mjs')),
  },
  {
    name: 'xterm.css',
    type: 'text/css; charset=utf-8',
    read: terminal(require.resolve('@xterm/xterm/css/xterm.css')),
  },
]
