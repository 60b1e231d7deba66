/** What goes with the subjects that a write must not carry: blank nodes below them, unless something else needs them. */

import { Parser } from 'n3'
import { describe, expect, it } from 'vitest'
import { prune } from '../../../src/repository/content/own-content.ts'

/** The objects that are left when everything about `urn:x:other` is dropped. */
function left(turtle: string): string[] {
  const quads = new Parser().parse(`@prefix x: <urn:x:> . ${turtle}`)
  const kept = prune(quads, ({ subject }) => subject.value === 'urn:x:other')
  return kept.flatMap(({ object }) => (object.termType === 'Literal' ? [object.value] : [])).sort()
}

describe('pruning', () => {
  it('takes nested blank nodes along, however deep', () => {
    expect(
      left('x:other x:p [ x:a "1" ; x:p [ x:a "2" ; x:p [ x:a "3" ] ] ] . x:own x:a "4" .'),
    ).toEqual(['4'])
  })

  it('keeps a blank node that a kept node points to, with what is below it', () => {
    expect(left('x:other x:p _:n . x:own x:p _:n . _:n x:a "1" ; x:p [ x:a "2" ] .')).toEqual([
      '1',
      '2',
    ])
  })

  it('keeps what is below two blank nodes as long as one of them stays', () => {
    expect(
      left('x:other x:p [ x:a "1" ; x:p _:n ] . x:own x:p [ x:p _:n ] . _:n x:a "2" .'),
    ).toEqual(['2'])
  })

  it('drops what only two dropped blank nodes shared', () => {
    expect(left('x:other x:p [ x:p _:n ] , [ x:p _:n ] . _:n x:a "1" . x:own x:a "2" .')).toEqual([
      '2',
    ])
  })

  it("keeps blank nodes that nothing pointed to: they are the sender's", () => {
    expect(left('x:other x:a "1" . [ x:a "2" ] x:p [ x:a "3" ] .')).toEqual(['2', '3'])
  })
})
