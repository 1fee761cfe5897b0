#include "textflag.h"

// The assembler has no names for these, so they are spelled in bits.
//
//	SMLAL   d.4S += n.4H(low) * m.4H(low)
//	SMLAL2  d.4S += n.4H(high) * m.4H(high)
//	SXTL    d.8H  = n.8B(low), sign-extended
//	SXTL2   d.8H  = n.8B(high), sign-extended
#define SMLAL(d, n, m) WORD $(0x0e608000 | (m)<<16 | (n)<<5 | (d))
#define SMLAL2(d, n, m) WORD $(0x4e608000 | (m)<<16 | (n)<<5 | (d))
#define SXTL(d, n) WORD $(0x0f08a400 | (n)<<5 | (d))
#define SXTL2(d, n) WORD $(0x4f08a400 | (n)<<5 | (d))

// A tile is four rows of a (R1 to R4) by two rows of b (R5, R6). V0 to V7 hold
// its eight sums, V18 and V19 sixteen elements of the first row of b, V20 and
// V21 of the second, V22 and V23 of a row of a.

#define CLEAR \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V1.B16, V1.B16; \
	VEOR V2.B16, V2.B16, V2.B16; \
	VEOR V3.B16, V3.B16, V3.B16; \
	VEOR V4.B16, V4.B16, V4.B16; \
	VEOR V5.B16, V5.B16, V5.B16; \
	VEOR V6.B16, V6.B16, V6.B16; \
	VEOR V7.B16, V7.B16, V7.B16

#define ROW(ptr, acc0, acc1) \
	VLD1.P 32(ptr), [V22.H8, V23.H8]; \
	SMLAL(acc0, 22, 18); \
	SMLAL(acc1, 22, 20); \
	SMLAL2(acc0, 22, 18); \
	SMLAL2(acc1, 22, 20); \
	SMLAL(acc0, 23, 19); \
	SMLAL(acc1, 23, 21); \
	SMLAL2(acc0, 23, 19); \
	SMLAL2(acc1, 23, 21)

#define FOUR_ROWS \
	ROW(R1, 0, 1); \
	ROW(R2, 2, 3); \
	ROW(R3, 4, 5); \
	ROW(R4, 6, 7)

// Rows 0 and 1 of the tile end up as the halves of V0, rows 2 and 3 of V4.
#define STORE_TILE \
	VADDP V1.S4, V0.S4, V0.S4; \
	VADDP V3.S4, V2.S4, V2.S4; \
	VADDP V2.S4, V0.S4, V0.S4; \
	VADDP V5.S4, V4.S4, V4.S4; \
	VADDP V7.S4, V6.S4, V6.S4; \
	VADDP V6.S4, V4.S4, V4.S4; \
	VMOV  V0.D[0], R9; \
	MOVD  R9, (R0); \
	ADD   R8<<2, R0, R0; \
	VMOV  V0.D[1], R9; \
	MOVD  R9, (R0); \
	ADD   R8<<2, R0, R0; \
	VMOV  V4.D[0], R9; \
	MOVD  R9, (R0); \
	ADD   R8<<2, R0, R0; \
	VMOV  V4.D[1], R9; \
	MOVD  R9, (R0)

#define LOAD_ROWS \
	MOVD dst+0(FP), R0; \
	MOVD stride+8(FP), R8; \
	MOVD a+16(FP), R1; \
	MOVD b+24(FP), R5; \
	MOVD n+32(FP), R7; \
	ADD  R7<<1, R1, R2; \
	ADD  R7<<1, R2, R3; \
	ADD  R7<<1, R3, R4

// func neonTile8(dst *int32, stride int, a *int16, b *int8, n int)
TEXT ·neonTile8(SB), NOSPLIT, $0-40
	LOAD_ROWS
	ADD  R7, R5, R6
	CLEAR

tile8:
	VLD1.P 16(R5), [V16.B16]
	VLD1.P 16(R6), [V17.B16]
	SXTL(18, 16)
	SXTL2(19, 16)
	SXTL(20, 17)
	SXTL2(21, 17)
	FOUR_ROWS
	SUBS   $16, R7, R7
	BGT    tile8
	STORE_TILE
	RET

// func neonTile16(dst *int32, stride int, a *int16, b *int16, n int)
TEXT ·neonTile16(SB), NOSPLIT, $0-40
	LOAD_ROWS
	ADD R7<<1, R5, R6
	CLEAR

tile16:
	VLD1.P 32(R5), [V18.H8, V19.H8]
	VLD1.P 32(R6), [V20.H8, V21.H8]
	FOUR_ROWS
	SUBS   $16, R7, R7
	BGT    tile16
	STORE_TILE
	RET

#define VEC_ROW(ptr, acc) \
	VLD1.P 16(ptr), [V16.B16]; \
	SXTL(18, 16); \
	SXTL2(19, 16); \
	SMLAL(acc, 22, 18); \
	SMLAL2(acc, 22, 18); \
	SMLAL(acc, 23, 19); \
	SMLAL2(acc, 23, 19)

// func neonVec8(dst *int32, a *int16, b *int8, n int)
//
// One row of a (R1) by four rows of b (R2 to R5).
TEXT ·neonVec8(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD n+24(FP), R7
	ADD  R7, R2, R3
	ADD  R7, R3, R4
	ADD  R7, R4, R5
	CLEAR

vec8:
	VLD1.P 32(R1), [V22.H8, V23.H8]
	VEC_ROW(R2, 0)
	VEC_ROW(R3, 1)
	VEC_ROW(R4, 2)
	VEC_ROW(R5, 3)
	SUBS   $16, R7, R7
	BGT    vec8
	VADDP  V1.S4, V0.S4, V0.S4
	VADDP  V3.S4, V2.S4, V2.S4
	VADDP  V2.S4, V0.S4, V0.S4
	VST1   [V0.S4], (R0)
	RET
