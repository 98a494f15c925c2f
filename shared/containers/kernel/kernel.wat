;; The loops that see every byte of a dump of ids and masks: plain numbers of an array, the hash of a record, and runs of tokens.
;; `npm run kernel` writes kernel-module.ts from it. What each function must give is held by test/containers/kernel.test.ts.
(module
  ;; Bytes that are read lie first, numbers that were scanned behind them; kernel.ts says how many of each.
  (memory (export "memory") 200)

  ;; Where the next number would have been written.
  (global $written (mut i32) (i32.const 0))
  (export "written" (global $written))

  ;; What `stripes` found.
  (global $low (mut i32) (i32.const 0))
  (export "low" (global $low))
  (global $high (mut i32) (i32.const 0))
  (export "high" (global $high))
  ;; What `look` added up.
  (global $lookedAt (mut i32) (i32.const 0))
  (export "lookedAt" (global $lookedAt))

  ;; Numbers of one to seven digits without a sign or a superfluous zero, each with its comma and at most one blank after it,
  ;; are written to `out` as 32 bits each. Returns the address of the first that is something else, or of one at `end` or after.
  ;; Up to 16 bytes from each address below `end` are looked at. To write, there must be room for 16 bytes more than the numbers take.
  (func (export "plain") (param $at i32) (param $end i32) (param $out i32) (result i32)
    (local $word i64) (local $bits i64) (local $digits i32) (local $flags v128) (local $second v128) (local $third v128) (local $fourth v128)
    ;; Of 64 bytes a bit for each: commas, digits, blanks, and where numbers and zeros before other digits begin.
    (local $ends i64) (local $known i64) (local $between i64) (local $starts i64) (local $zeros i64)
    (local $last i64) (local $upTo i64) (local $step i64) (local $from i64)
    (local $comma v128) (local $blank v128) (local $zero v128) (local $ten v128)
    (local.set $comma (i8x16.splat (i32.const 0x2c)))
    (local.set $blank (i8x16.splat (i32.const 0x20)))
    (local.set $zero (i8x16.splat (i32.const 0x30)))
    (local.set $ten (i8x16.splat (i32.const 10)))
    (loop $next
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (global.set $written (local.get $out)) (return (local.get $at))))
      ;; `0,` or `1,` eight times: without the bit by which flags differ, all are alike.
      (local.set $flags (v128.load align=1 (local.get $at)))
      (if (i32.eqz (v128.any_true (v128.xor
            (v128.and (local.get $flags) (v128.const i16x8 0xfffe 0xfffe 0xfffe 0xfffe 0xfffe 0xfffe 0xfffe 0xfffe))
            (v128.const i16x8 0x2c30 0x2c30 0x2c30 0x2c30 0x2c30 0x2c30 0x2c30 0x2c30))))
        (then
          (local.set $flags (v128.and (local.get $flags) (v128.const i16x8 1 1 1 1 1 1 1 1)))
          (v128.store align=4 (local.get $out) (i32x4.extend_low_i16x8_u (local.get $flags)))
          (v128.store offset=16 align=4 (local.get $out) (i32x4.extend_high_i16x8_u (local.get $flags)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (local.set $out (i32.add (local.get $out) (i32.const 32)))
          (br $next)))
      ;; `0, ` or `1, ` five times and one byte more, of which four are taken.
      (if (i32.eqz (v128.any_true (v128.xor
            (v128.and (local.get $flags)
              (v128.const i8x16 0xfe 0xff 0xff 0xfe 0xff 0xff 0xfe 0xff 0xff 0xfe 0xff 0xff 0 0 0 0))
            (v128.const i8x16 0x30 0x2c 0x20 0x30 0x2c 0x20 0x30 0x2c 0x20 0x30 0x2c 0x20 0 0 0 0))))
        (then
          (v128.store align=4 (local.get $out) (v128.and (v128.const i32x4 1 1 1 1)
            (i8x16.swizzle (local.get $flags)
              (v128.const i8x16 0 -1 -1 -1 3 -1 -1 -1 6 -1 -1 -1 9 -1 -1 -1))))
          (local.set $at (i32.add (local.get $at) (i32.const 12)))
          (local.set $out (i32.add (local.get $out) (i32.const 16)))
          (br $next)))
      ;; All numbers at once whose commas are among the next 64 bytes, as many as are written alike: each with a blank behind its comma, or none.
      (block $few
        (br_if $few (i32.gt_u (i32.add (local.get $at) (i32.const 64)) (local.get $end)))
        (local.set $second (v128.load offset=16 align=1 (local.get $at)))
        (local.set $third (v128.load offset=32 align=1 (local.get $at)))
        (local.set $fourth (v128.load offset=48 align=1 (local.get $at)))
        (local.set $ends (i64.or
          (i64.or
            (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $flags) (local.get $comma))))
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $second) (local.get $comma)))) (i64.const 16)))
          (i64.or
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $third) (local.get $comma)))) (i64.const 32))
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $fourth) (local.get $comma)))) (i64.const 48)))))
        (local.set $known (i64.or
          (i64.or
            (i64.extend_i32_u (i8x16.bitmask (i8x16.lt_u (i8x16.sub (local.get $flags) (local.get $zero)) (local.get $ten))))
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.lt_u (i8x16.sub (local.get $second) (local.get $zero)) (local.get $ten)))) (i64.const 16)))
          (i64.or
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.lt_u (i8x16.sub (local.get $third) (local.get $zero)) (local.get $ten)))) (i64.const 32))
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.lt_u (i8x16.sub (local.get $fourth) (local.get $zero)) (local.get $ten)))) (i64.const 48)))))
        (local.set $between (i64.or
          (i64.or
            (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $flags) (local.get $blank))))
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $second) (local.get $blank)))) (i64.const 16)))
          (i64.or
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $third) (local.get $blank)))) (i64.const 32))
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $fourth) (local.get $blank)))) (i64.const 48)))))
        (local.set $bits (i64.xor (i64.const -1) (i64.or (i64.or (local.get $ends) (local.get $known)) (local.get $between))))
        ;; Up to what is none of these: all bits where nothing is.
        (local.set $ends (i64.and (local.get $ends)
          (i64.sub (i64.and (local.get $bits) (i64.sub (i64.const 0) (local.get $bits))) (i64.const 1))))
        (br_if $few (i64.eqz (local.get $ends)))
        (local.set $last (i64.sub (i64.const 63) (i64.clz (local.get $ends))))
        (local.set $upTo (i64.sub (i64.shl (i64.shl (i64.const 1) (local.get $last)) (i64.const 1)) (i64.const 1)))
        (local.set $known (i64.and (local.get $known) (local.get $upTo)))
        (local.set $between (i64.and (local.get $between) (local.get $upTo)))
        (local.set $step (select (i64.const 1) (i64.const 2) (i64.eqz (local.get $between))))
        (br_if $few (i32.and (i64.ne (local.get $between) (i64.const 0))
          (i64.ne (local.get $between) (i64.and (local.get $upTo) (i64.shl (local.get $ends) (i64.const 1))))))
        ;; Where numbers begin there are digits, no zero before another digit, and nowhere eight digits.
        (local.set $starts (i64.and (local.get $upTo) (i64.or (i64.const 1) (i64.shl (local.get $ends) (local.get $step)))))
        (local.set $bits (i64.and (local.get $known) (i64.shr_u (local.get $known) (i64.const 1))))
        (local.set $zeros (i64.or
          (i64.or
            (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $flags) (local.get $zero))))
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $second) (local.get $zero)))) (i64.const 16)))
          (i64.or
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $third) (local.get $zero)))) (i64.const 32))
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $fourth) (local.get $zero)))) (i64.const 48)))))
        (local.set $zeros (i64.and (local.get $zeros) (i64.and (local.get $starts) (i64.shr_u (local.get $known) (i64.const 1)))))
        (local.set $bits (i64.and (local.get $bits) (i64.shr_u (local.get $bits) (i64.const 2))))
        (local.set $bits (i64.and (local.get $bits) (i64.shr_u (local.get $bits) (i64.const 4))))
        (br_if $few (i64.ne (i64.const 0) (i64.or
          (i64.or (local.get $bits) (local.get $zeros))
          (i64.and (local.get $starts) (i64.xor (local.get $known) (i64.const -1))))))
        (local.set $from (i64.const 0))
        (loop $number
          (local.set $word (i64.shl
            (i64.xor (i64.load align=1 (i32.add (local.get $at) (i32.wrap_i64 (local.get $from)))) (i64.const 0x3030303030303030))
            ;; Of how far bits are moved what is above 63 does not count.
            (i64.shl (i64.sub (local.get $from) (i64.ctz (local.get $ends))) (i64.const 3))))
          (local.set $word (i64.shr_u (i64.mul (local.get $word) (i64.const 2561)) (i64.const 8)))
          (local.set $word (i64.shr_u
            (i64.mul (i64.and (local.get $word) (i64.const 0x00ff00ff00ff00ff)) (i64.const 6553601)) (i64.const 16)))
          (local.set $word (i64.shr_u
            (i64.mul (i64.and (local.get $word) (i64.const 0x0000ffff0000ffff)) (i64.const 42949672960001)) (i64.const 32)))
          (i64.store32 align=4 (local.get $out) (local.get $word))
          (local.set $out (i32.add (local.get $out) (i32.const 4)))
          (local.set $from (i64.add (i64.ctz (local.get $ends)) (local.get $step)))
          (local.set $ends (i64.and (local.get $ends) (i64.sub (local.get $ends) (i64.const 1))))
          (br_if $number (i64.ne (local.get $ends) (i64.const 0))))
        (local.set $at (i32.add (local.get $at) (i32.add (i32.wrap_i64 (local.get $last)) (i32.const 1))))
        (local.set $at (i32.add (local.get $at) (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x20))))
        (br $next))
      ;; Digits become 0 to 9; of anything else the highest bit is set in `bits`. What is carried goes to bytes after it, which do not count.
      (local.set $word (i64.xor (i64.load align=1 (local.get $at)) (i64.const 0x3030303030303030)))
      (local.set $bits (i64.and (i64.const 0x8080808080808080)
        (i64.or (local.get $word) (i64.add (local.get $word) (i64.const 0x7676767676767676)))))
      (local.set $digits (i32.wrap_i64 (i64.shr_u (i64.ctz (local.get $bits)) (i64.const 3))))
      (block $other
        ;; None, or eight and more.
        (br_if $other (i32.gt_u (i32.sub (local.get $digits) (i32.const 1)) (i32.const 6)))
        ;; The byte after them is no comma.
        (br_if $other (i64.ne (i64.const 0x1c)
          (i64.and (i64.const 0xff) (i64.shr_u (local.get $word) (i64.extend_i32_u (i32.shl (local.get $digits) (i32.const 3)))))))
        ;; A zero before other digits.
        (br_if $other (i32.and (i64.eqz (i64.and (local.get $word) (i64.const 0xff))) (i32.gt_u (local.get $digits) (i32.const 1))))
        ;; Zeros in front make eight digits of them; then two, four and eight together.
        (local.set $word (i64.shl (local.get $word)
          (i64.extend_i32_u (i32.sub (i32.const 64) (i32.shl (local.get $digits) (i32.const 3))))))
        (local.set $word (i64.shr_u (i64.mul (local.get $word) (i64.const 2561)) (i64.const 8)))
        (local.set $word (i64.shr_u
          (i64.mul (i64.and (local.get $word) (i64.const 0x00ff00ff00ff00ff)) (i64.const 6553601)) (i64.const 16)))
        (local.set $word (i64.shr_u
          (i64.mul (i64.and (local.get $word) (i64.const 0x0000ffff0000ffff)) (i64.const 42949672960001)) (i64.const 32)))
        (i32.store (local.get $out) (i32.wrap_i64 (local.get $word)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $at (i32.add (local.get $at) (i32.add (local.get $digits) (i32.const 1))))
        (local.set $at (i32.add (local.get $at) (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x20))))
        (br $next))
      (global.set $written (local.get $out))
      (return (local.get $at)))
    (unreachable))

  ;; What is found of all lanes with one of them put to it.
  (func $merge (param $all i64) (param $lane i64) (result i64)
    (i64.add (i64.const 0x85ebca77c2b2ae63) (i64.mul (i64.const 0x9e3779b185ebca87) (i64.xor (local.get $all)
      (i64.mul (i64.const 0x9e3779b185ebca87) (i64.rotl (i64.mul (local.get $lane) (i64.const 0xc2b2ae3d27d4eb4f)) (i64.const 31)))))))

  ;; `hashStripes`: whole stripes of 32 bytes from `at` to `end`, to `low` and `high`.
  (func (export "stripes") (param $at i32) (param $end i32)
    (local $a i64) (local $b i64) (local $c i64) (local $d i64) (local $all i64)
    (local.set $a (i64.const 0x60ea27eeadc0b5d6))
    (local.set $b (i64.const 0xc2b2ae3d27d4eb4f))
    (local.set $d (i64.const 0x61c8864e7a143579))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $a (i64.mul (i64.const 0x9e3779b185ebca87) (i64.rotl (i64.add (local.get $a)
          (i64.mul (i64.load align=1 (local.get $at)) (i64.const 0xc2b2ae3d27d4eb4f))) (i64.const 31))))
        (local.set $b (i64.mul (i64.const 0x9e3779b185ebca87) (i64.rotl (i64.add (local.get $b)
          (i64.mul (i64.load offset=8 align=1 (local.get $at)) (i64.const 0xc2b2ae3d27d4eb4f))) (i64.const 31))))
        (local.set $c (i64.mul (i64.const 0x9e3779b185ebca87) (i64.rotl (i64.add (local.get $c)
          (i64.mul (i64.load offset=16 align=1 (local.get $at)) (i64.const 0xc2b2ae3d27d4eb4f))) (i64.const 31))))
        (local.set $d (i64.mul (i64.const 0x9e3779b185ebca87) (i64.rotl (i64.add (local.get $d)
          (i64.mul (i64.load offset=24 align=1 (local.get $at)) (i64.const 0xc2b2ae3d27d4eb4f))) (i64.const 31))))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br $next)))
    (local.set $all (i64.add
      (i64.add (i64.rotl (local.get $a) (i64.const 1)) (i64.rotl (local.get $b) (i64.const 7)))
      (i64.add (i64.rotl (local.get $c) (i64.const 12)) (i64.rotl (local.get $d) (i64.const 18)))))
    (local.set $all (call $merge (local.get $all) (local.get $a)))
    (local.set $all (call $merge (local.get $all) (local.get $b)))
    (local.set $all (call $merge (local.get $all) (local.get $c)))
    (local.set $all (call $merge (local.get $all) (local.get $d)))
    (global.set $low (i32.wrap_i64 (local.get $all)))
    (global.set $high (i32.wrap_i64 (i64.shr_u (local.get $all) (i64.const 32)))))

  ;; The largest number of 32 bits from `at` to `end`, all without a sign; 0 where none is.
  (func $most (export "most") (param $at i32) (param $end i32) (result i32)
    (local $most v128) (local $largest i32)
    (block $few
      (loop $four
        (br_if $few (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (local.set $most (i32x4.max_u (local.get $most) (v128.load align=4 (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $four)))
    (local.set $most (i32x4.max_u (local.get $most) (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $most) (local.get $most))))
    (local.set $most (i32x4.max_u (local.get $most) (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $most) (local.get $most))))
    (local.set $largest (i32x4.extract_lane 0 (local.get $most)))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $largest (select (i32.load (local.get $at)) (local.get $largest)
          (i32.gt_u (i32.load (local.get $at)) (local.get $largest))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $one)))
    (local.get $largest))

  ;; The largest number of each 64 that follow each other from `at` to `end`, all without a sign, goes to `out`. Returns the largest of all.
  (func (export "maxima") (param $at i32) (param $end i32) (param $out i32) (result i32)
    (local $to i32) (local $most i32) (local $largest i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $to (i32.add (local.get $at) (i32.const 256)))
        (local.set $to (select (local.get $to) (local.get $end) (i32.lt_u (local.get $to) (local.get $end))))
        (local.set $most (call $most (local.get $at) (local.get $to)))
        (i32.store (local.get $out) (local.get $most))
        (local.set $largest (select (local.get $most) (local.get $largest) (i32.gt_u (local.get $most) (local.get $largest))))
        (local.set $at (local.get $to))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next)))
    (local.get $largest))

  ;; Each number of 32 bits from `at` to `end` below `size` has a byte from `known` on. Returns the address of the first that has none, or one that is
  ;; 0 or odd; `end` where all have others, and adds up half of what those before it have.
  (func $look (export "look") (param $at i32) (param $end i32) (param $known i32) (param $size i32) (result i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32) (local $sum i32)
    (block $found
      (loop $four
        (br_if $found (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (local.set $a (i32.load (local.get $at)))
        (local.set $b (i32.load offset=4 (local.get $at)))
        (local.set $c (i32.load offset=8 (local.get $at)))
        (local.set $d (i32.load offset=12 (local.get $at)))
        (br_if $found (i32.or
          (i32.or (i32.ge_u (local.get $a) (local.get $size)) (i32.ge_u (local.get $b) (local.get $size)))
          (i32.or (i32.ge_u (local.get $c) (local.get $size)) (i32.ge_u (local.get $d) (local.get $size)))))
        (local.set $a (i32.load8_u (i32.add (local.get $known) (local.get $a))))
        (local.set $b (i32.load8_u (i32.add (local.get $known) (local.get $b))))
        (local.set $c (i32.load8_u (i32.add (local.get $known) (local.get $c))))
        (local.set $d (i32.load8_u (i32.add (local.get $known) (local.get $d))))
        ;; Two less than 0 is below zero.
        (br_if $found (i32.and (i32.const 0x80000001) (i32.or
          (i32.or (i32.sub (local.get $a) (i32.const 2)) (i32.sub (local.get $b) (i32.const 2)))
          (i32.or (i32.sub (local.get $c) (i32.const 2)) (i32.sub (local.get $d) (i32.const 2))))))
        (local.set $sum (i32.add (local.get $sum) (i32.add
          (i32.add (local.get $a) (local.get $b))
          (i32.add (local.get $c) (local.get $d)))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $four)))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $a (i32.load (local.get $at)))
        (br_if $done (i32.ge_u (local.get $a) (local.get $size)))
        (local.set $a (i32.load8_u (i32.add (local.get $known) (local.get $a))))
        (br_if $done (i32.and (i32.const 0x80000001) (i32.sub (local.get $a) (i32.const 2))))
        (local.set $sum (i32.add (local.get $sum) (local.get $a)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $one)))
    (global.set $lookedAt (i32.shr_u (local.get $sum) (i32.const 1)))
    (local.get $at))

  ;; What `look` adds up of each 64 numbers that follow each other from `at` to `end` goes to `out` in 16 bits, all bits set where it does not come to their
  ;; end, and of what is left of them.
  (func (export "sums") (param $at i32) (param $end i32) (param $known i32) (param $size i32) (param $out i32)
    (local $to i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $to (i32.add (local.get $at) (i32.const 256)))
        (i32.store16 (local.get $out) (i32.const 0xffff))
        (br_if $done (i32.gt_u (local.get $to) (local.get $end)))
        (if (i32.eq (local.get $to) (call $look (local.get $at) (local.get $to) (local.get $known) (local.get $size)))
          (then (i32.store16 (local.get $out) (global.get $lookedAt))))
        (local.set $at (local.get $to))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (br $next))))

  ;; As `look`, of numbers that begin at `base` and whose `sums` lie from there on.
  (func (export "lookOver")
    (param $at i32) (param $end i32) (param $known i32) (param $size i32) (param $base i32) (param $sums i32) (result i32)
    (local $to i32) (local $sum i32) (local $ofAll i32)
    (block $found
      (loop $next
        (br_if $found (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $to (i32.add (local.get $base)
          (i32.shl (i32.add (i32.shr_u (i32.sub (local.get $at) (local.get $base)) (i32.const 8)) (i32.const 1)) (i32.const 8))))
        (if (i32.and (i32.eqz (i32.and (i32.sub (local.get $at) (local.get $base)) (i32.const 255))) (i32.le_u (local.get $to) (local.get $end)))
          (then
            (local.set $sum (i32.load16_u (i32.add (local.get $sums) (i32.shr_u (i32.sub (local.get $at) (local.get $base)) (i32.const 7)))))
            (if (i32.ne (local.get $sum) (i32.const 0xffff))
              (then
                (local.set $ofAll (i32.add (local.get $ofAll) (local.get $sum)))
                (local.set $at (local.get $to))
                (br $next)))))
        (local.set $to (select (local.get $to) (local.get $end) (i32.lt_u (local.get $to) (local.get $end))))
        (local.set $at (call $look (local.get $at) (local.get $to) (local.get $known) (local.get $size)))
        (local.set $ofAll (i32.add (local.get $ofAll) (global.get $lookedAt)))
        (br_if $next (i32.eq (local.get $at) (local.get $to)))))
    (global.set $lookedAt (local.get $ofAll))
    (local.get $at))

  ;; The address of the first number of 32 bits from `at` to `end` that is at least `bound`, both without a sign; `end` where none is.
  (func $first (export "first") (param $at i32) (param $end i32) (param $bound i32) (result i32)
    (local $bounds v128)
    (local.set $bounds (i32x4.splat (local.get $bound)))
    (block $found
      (loop $sixteen
        (br_if $found (i32.gt_u (i32.add (local.get $at) (i32.const 64)) (local.get $end)))
        (br_if $found (v128.any_true (v128.or
          (v128.or
            (i32x4.ge_u (v128.load align=4 (local.get $at)) (local.get $bounds))
            (i32x4.ge_u (v128.load offset=16 align=4 (local.get $at)) (local.get $bounds)))
          (v128.or
            (i32x4.ge_u (v128.load offset=32 align=4 (local.get $at)) (local.get $bounds))
            (i32x4.ge_u (v128.load offset=48 align=4 (local.get $at)) (local.get $bounds))))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $sixteen)))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (br_if $done (i32.ge_u (i32.load (local.get $at)) (local.get $bound)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $one)))
    (local.get $at))

  ;; As `first`, of numbers that begin at `base` and whose `maxima` lie from there on: of most of them their largest is looked at alone.
  (func (export "firstOver") (param $at i32) (param $end i32) (param $bound i32) (param $base i32) (param $maxima i32) (result i32)
    (local $block i32) (local $to i32)
    (loop $next
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $end))))
      (local.set $block (i32.shr_u (i32.sub (local.get $at) (local.get $base)) (i32.const 8)))
      (local.set $to (i32.add (local.get $base) (i32.shl (i32.add (local.get $block) (i32.const 1)) (i32.const 8))))
      (local.set $to (select (local.get $to) (local.get $end) (i32.lt_u (local.get $to) (local.get $end))))
      (if (i32.ge_u (i32.load (i32.add (local.get $maxima) (i32.shl (local.get $block) (i32.const 2)))) (local.get $bound))
        (then
          (local.set $at (call $first (local.get $at) (local.get $to) (local.get $bound)))
          (if (i32.lt_u (local.get $at) (local.get $to)) (then (return (local.get $at))))))
      (local.set $at (local.get $to))
      (br $next))
    (unreachable))

  ;; The address of the first number of 32 bits from `at` to `end` that is `value`; `end` where none is.
  (func (export "find") (param $at i32) (param $end i32) (param $value i32) (result i32)
    (local $values v128)
    (local.set $values (i32x4.splat (local.get $value)))
    (block $found
      (loop $sixteen
        (br_if $found (i32.gt_u (i32.add (local.get $at) (i32.const 64)) (local.get $end)))
        (br_if $found (v128.any_true (v128.or
          (v128.or
            (i32x4.eq (v128.load align=4 (local.get $at)) (local.get $values))
            (i32x4.eq (v128.load offset=16 align=4 (local.get $at)) (local.get $values)))
          (v128.or
            (i32x4.eq (v128.load offset=32 align=4 (local.get $at)) (local.get $values))
            (i32x4.eq (v128.load offset=48 align=4 (local.get $at)) (local.get $values))))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $sixteen)))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (br_if $done (i32.eq (i32.load (local.get $at)) (local.get $value)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $one)))
    (local.get $at))

  ;; The address of the first number of 32 bits from `at` to `end` that is in a set, `end` where none is. The set has a bit for each number: `words`
  ;; words of 32 bits from `set` on, and behind them one that is zero. Above that no number is in it; below zero none is either.
  (func (export "member") (param $at i32) (param $end i32) (param $set i32) (param $words i32) (result i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32)
    (block $found
      (loop $four
        (br_if $found (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (local.set $a (i32.shr_u (i32.load (local.get $at)) (i32.const 5)))
        (local.set $b (i32.shr_u (i32.load offset=4 (local.get $at)) (i32.const 5)))
        (local.set $c (i32.shr_u (i32.load offset=8 (local.get $at)) (i32.const 5)))
        (local.set $d (i32.shr_u (i32.load offset=12 (local.get $at)) (i32.const 5)))
        (local.set $a (select (local.get $a) (local.get $words) (i32.lt_u (local.get $a) (local.get $words))))
        (local.set $b (select (local.get $b) (local.get $words) (i32.lt_u (local.get $b) (local.get $words))))
        (local.set $c (select (local.get $c) (local.get $words) (i32.lt_u (local.get $c) (local.get $words))))
        (local.set $d (select (local.get $d) (local.get $words) (i32.lt_u (local.get $d) (local.get $words))))
        ;; How far bits are moved counts modulo 32.
        (br_if $found (i32.and (i32.const 1) (i32.or
          (i32.or
            (i32.shr_u (i32.load (i32.add (local.get $set) (i32.shl (local.get $a) (i32.const 2)))) (i32.load (local.get $at)))
            (i32.shr_u (i32.load (i32.add (local.get $set) (i32.shl (local.get $b) (i32.const 2)))) (i32.load offset=4 (local.get $at))))
          (i32.or
            (i32.shr_u (i32.load (i32.add (local.get $set) (i32.shl (local.get $c) (i32.const 2)))) (i32.load offset=8 (local.get $at)))
            (i32.shr_u (i32.load (i32.add (local.get $set) (i32.shl (local.get $d) (i32.const 2)))) (i32.load offset=12 (local.get $at)))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $four)))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $a (i32.shr_u (i32.load (local.get $at)) (i32.const 5)))
        (local.set $a (select (local.get $a) (local.get $words) (i32.lt_u (local.get $a) (local.get $words))))
        (br_if $done (i32.and (i32.const 1)
          (i32.shr_u (i32.load (i32.add (local.get $set) (i32.shl (local.get $a) (i32.const 2)))) (i32.load (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $one)))
    (local.get $at))

  ;; The lowest byte of each number of 32 bits from `at` to `end`, where none is above 255, goes to `out`.
  (func (export "narrow") (param $at i32) (param $end i32) (param $out i32)
    (block $few
      (loop $sixteen
        (br_if $few (i32.gt_u (i32.add (local.get $at) (i32.const 64)) (local.get $end)))
        (v128.store align=1 (local.get $out) (i8x16.narrow_i16x8_u
          (i16x8.narrow_i32x4_u
            (v128.load align=4 (local.get $at))
            (v128.load offset=16 align=4 (local.get $at)))
          (i16x8.narrow_i32x4_u
            (v128.load offset=32 align=4 (local.get $at))
            (v128.load offset=48 align=4 (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br $sixteen)))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (i32.store8 (local.get $out) (i32.load (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 1)))
        (br $one))))

  ;; The sum of what each number of 32 bits from `at` to `end` is mixed to, the same in whatever order they stand.
  (func (export "bag") (param $at i32) (param $end i32) (result i32)
    (local $mixed v128) (local $sums v128) (local $word i32) (local $sum i32)
    (block $few
      (loop $four
        (br_if $few (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (local.set $mixed (i32x4.mul
          (i32x4.add (v128.load align=4 (local.get $at)) (i32x4.splat (i32.const 1))) (i32x4.splat (i32.const 0x9e3779b1))))
        (local.set $sums (i32x4.add (local.get $sums) (i32x4.mul
          (v128.xor (local.get $mixed) (i32x4.shr_u (local.get $mixed) (i32.const 15))) (i32x4.splat (i32.const 0x85ebca6b)))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $four)))
    (local.set $sum (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
      (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $word (i32.mul (i32.add (i32.load (local.get $at)) (i32.const 1)) (i32.const 0x9e3779b1)))
        (local.set $sum (i32.add (local.get $sum) (i32.mul
          (i32.xor (local.get $word) (i32.shr_u (local.get $word) (i32.const 15))) (i32.const 0x85ebca6b))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $one)))
    (local.get $sum))

  ;; The address of the first byte from `at` to `end` that is another than `value`; `end` where none is.
  (func (export "other") (param $at i32) (param $end i32) (param $value i32) (result i32)
    (local $values v128) (local $bits i32)
    (local.set $values (i8x16.splat (local.get $value)))
    (block $few
      (loop $sixteen
        (br_if $few (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (local.set $bits (i8x16.bitmask (i8x16.ne (v128.load align=1 (local.get $at)) (local.get $values))))
        (if (local.get $bits) (then (return (i32.add (local.get $at) (i32.ctz (local.get $bits))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $sixteen)))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (br_if $done (i32.ne (i32.load8_u (local.get $at)) (local.get $value)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $one)))
    (local.get $at))

  ;; How many bytes from `at` to `end` are `value`.
  (func (export "count") (param $at i32) (param $end i32) (param $value i32) (result i32)
    (local $values v128) (local $count i32)
    (local.set $values (i8x16.splat (local.get $value)))
    (block $few
      (loop $sixteen
        (br_if $few (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (local.set $count (i32.add (local.get $count)
          (i32.popcnt (i8x16.bitmask (i8x16.eq (v128.load align=1 (local.get $at)) (local.get $values))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $sixteen)))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $count (i32.add (local.get $count) (i32.eq (i32.load8_u (local.get $at)) (local.get $value))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $one)))
    (local.get $count))

  ;; The address of the first byte from `at` to `end` that differs from the one as far behind `other`; `end` where none does.
  (func (export "differ") (param $at i32) (param $end i32) (param $other i32) (result i32)
    (local $bits i32)
    (block $few
      (loop $sixteen
        (br_if $few (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (local.set $bits (i8x16.bitmask
          (i8x16.ne (v128.load align=1 (local.get $at)) (v128.load align=1 (local.get $other)))))
        (if (local.get $bits) (then (return (i32.add (local.get $at) (i32.ctz (local.get $bits))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (local.set $other (i32.add (local.get $other) (i32.const 16)))
        (br $sixteen)))
    (block $done
      (loop $one
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (br_if $done (i32.ne (i32.load8_u (local.get $at)) (i32.load8_u (local.get $other))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $other (i32.add (local.get $other) (i32.const 1)))
        (br $one)))
    (local.get $at))

  ;; Every byte from `at` to `end` becomes `value`: where several threads have the memory, a script writes them one by one.
  (func (export "fill") (param $at i32) (param $end i32) (param $value i32)
    (memory.fill (local.get $at) (local.get $value) (i32.sub (local.get $end) (local.get $at))))

  ;; What lies from `at` to `end` goes to `out`.
  (func (export "copy") (param $at i32) (param $end i32) (param $out i32)
    (memory.copy (local.get $out) (local.get $at) (i32.sub (local.get $end) (local.get $at)))))
