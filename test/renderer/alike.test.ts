import { expect, test } from 'vitest'
import { numbersAlike, sharesAlike } from '../../renderer/text/alike.ts'

test.each([
  [[0, 0.211], ['0.0 %', '21.1 %'], '21.1'],
  [[1, 0], ['100 %', '0 %'], '100'],
  [[0.0004, 1], ['< 0.1 %', '100 %'], '100'],
  [[0.3333, null], ['33.3 %', '–'], null],
  [[0.5, 0.5002], ['50 %', '50 %'], '0.02'],
])('shares %j have like decimals', (shares, values, difference) => {
  const alike = sharesAlike(shares)
  const [here, there] = shares
  expect(alike.values).toEqual(values)
  if (typeof here === 'number' && typeof there === 'number')
    expect(alike.difference(Number((there - here).toPrecision(12)))).toBe(difference)
})

test.each([
  [[819.34, 1_021.76], ['819.3', '1,022'], '202.4'],
  [[0.5, 0.6375], ['0.5000', '0.6375'], '0.1375'],
  [[3, 5], ['3', '5'], '2'],
  [[0.00061234, 0.5], ['0.0006123', '0.5'], '0.4994'],
  [[-1.25, 2], ['−1.25', '2.00'], '3.25'],
  [[12_345.6, null], ['12,350', '–'], null],
])('numbers %j have four digits and like decimals', (numbers, values, difference) => {
  const alike = numbersAlike(numbers)
  const [here, there] = numbers
  expect(alike.values).toEqual(values)
  if (typeof here === 'number' && typeof there === 'number')
    expect(alike.difference(Number((there - here).toPrecision(12)))).toBe(difference)
})
