#include "textflag.h"

// Tiles of four rows of a (SI, R8, R9, R10) by four rows of b (DI, R11, R12,
// R13), with the instruction that multiplies pairs and adds them up at once.
// Z0..Z15 hold the sixteen sums, 32 products at a time; Z16..Z19 hold pieces
// of b, Z20 a piece of a.

#define CLEAR4(a, b, c, d) \
	VPXORD a, a, a; \
	VPXORD b, b, b; \
	VPXORD c, c, c; \
	VPXORD d, d, d

#define CLEAR \
	CLEAR4(Z0, Z1, Z2, Z3); \
	CLEAR4(Z4, Z5, Z6, Z7); \
	CLEAR4(Z8, Z9, Z10, Z11); \
	CLEAR4(Z12, Z13, Z14, Z15)

#define ROW(ptr, a, b, c, d) \
	VMOVDQU32 (ptr)(AX*2), Z20; \
	VPDPWSSD  Z16, Z20, a; \
	VPDPWSSD  Z17, Z20, b; \
	VPDPWSSD  Z18, Z20, c; \
	VPDPWSSD  Z19, Z20, d

#define FOUR_ROWS \
	ROW(SI, Z0, Z1, Z2, Z3); \
	ROW(R8, Z4, Z5, Z6, Z7); \
	ROW(R9, Z8, Z9, Z10, Z11); \
	ROW(R10, Z12, Z13, Z14, Z15)

#define HALVE(z, y) \
	VEXTRACTI64X4 $1, z, Y21; \
	VPADDD        Y21, y, y

// Stores a row of the tile: the sums of four accumulators, in order.
#define STORE(za, ya, xa, zb, yb, xb, zc, yc, zd, yd) \
	HALVE(za, ya); \
	HALVE(zb, yb); \
	HALVE(zc, yc); \
	HALVE(zd, yd); \
	VPHADDD      yb, ya, ya; \
	VPHADDD      yd, yc, yc; \
	VPHADDD      yc, ya, ya; \
	VEXTRACTI128 $1, ya, xb; \
	VPADDD       xb, xa, xa; \
	VMOVDQU      xa, (DX)

#define STORE_TILE \
	STORE(Z0, Y0, X0, Z1, Y1, X1, Z2, Y2, Z3, Y3); \
	LEAQ (DX)(BX*4), DX; \
	STORE(Z4, Y4, X4, Z5, Y5, X5, Z6, Y6, Z7, Y7); \
	LEAQ (DX)(BX*4), DX; \
	STORE(Z8, Y8, X8, Z9, Y9, X9, Z10, Y10, Z11, Y11); \
	LEAQ (DX)(BX*4), DX; \
	STORE(Z12, Y12, X12, Z13, Y13, X13, Z14, Y14, Z15, Y15); \
	VZEROUPPER

#define LOAD_ROWS \
	MOVQ dst+0(FP), DX; \
	MOVQ stride+8(FP), BX; \
	MOVQ a+16(FP), SI; \
	MOVQ b+24(FP), DI; \
	MOVQ n+32(FP), CX; \
	LEAQ (SI)(CX*2), R8; \
	LEAQ (R8)(CX*2), R9; \
	LEAQ (R9)(CX*2), R10

// func vnniTile8(dst *int32, stride int, a *int16, b *int8, n int)
TEXT ·vnniTile8(SB), NOSPLIT, $0-40
	LOAD_ROWS
	LEAQ (DI)(CX*1), R11
	LEAQ (R11)(CX*1), R12
	LEAQ (R12)(CX*1), R13
	CLEAR
	XORQ AX, AX

tile8:
	VPMOVSXBW (DI)(AX*1), Z16
	VPMOVSXBW (R11)(AX*1), Z17
	VPMOVSXBW (R12)(AX*1), Z18
	VPMOVSXBW (R13)(AX*1), Z19
	FOUR_ROWS
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLT       tile8
	STORE_TILE
	RET

// func vnniTile16(dst *int32, stride int, a *int16, b *int16, n int)
TEXT ·vnniTile16(SB), NOSPLIT, $0-40
	LOAD_ROWS
	LEAQ (DI)(CX*2), R11
	LEAQ (R11)(CX*2), R12
	LEAQ (R12)(CX*2), R13
	CLEAR
	XORQ AX, AX

tile16:
	VMOVDQU32 (DI)(AX*2), Z16
	VMOVDQU32 (R11)(AX*2), Z17
	VMOVDQU32 (R12)(AX*2), Z18
	VMOVDQU32 (R13)(AX*2), Z19
	FOUR_ROWS
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLT       tile16
	STORE_TILE
	RET
