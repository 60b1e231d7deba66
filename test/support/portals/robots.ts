/** A host with a robots.txt. */

import { portal, type Portal } from './portal.ts'

/** `text` as `/robots.txt`, "here" everywhere else. */
export const robotsHost = (text: string): Promise<Portal> =>
  portal((request) => new Response(new URL(request.url).pathname === '/robots.txt' ? text : 'here'))
