/** A write never empties what it is about. */

import { Parser } from 'n3'
import { expect, it } from 'vitest'
import { canonicalContent } from '../../../src/repository/content/own-content.ts'

const content = (turtle: string) => {
  const statements = new Parser().parse(`@prefix x: <urn:x:> . ${turtle}`)
  const node = new Parser().parse('<urn:x:it> a <urn:x:Thing> .')[0]!.subject
  return canonicalContent({ triples: 100 }, { node, statements })
}

it('is refused when nothing would be stored about its subject', async () => {
  await expect(content('x:other x:p x:it .')).rejects.toMatchObject({
    kind: 'invalid-content',
    detail: expect.stringContaining('urn:x:it'),
  })
  expect((await content('x:it x:p "1" .')).statements).toHaveLength(1)
})
